import { memoryInput } from '@drawbridge/contracts/agent/memory';
import { agentSettingsInput, userKeysInput, verifyTarget } from '@drawbridge/contracts/agent/settings';
import { idOf, type Route } from './route.ts';

const getMemory: Route = {
  method: 'GET',
  path: '/memory',
  right: 'person',
  handle: ({ module }, { userId }) => module.agent.memory.get(userId),
};

const changeMemory: Route = {
  method: 'PATCH',
  path: '/memory',
  right: 'person',
  handle: ({ module }, { userId, request }) =>
    module.agent.memory.change(userId, memoryInput.parse(request.body)),
};

const usage: Route = {
  method: 'GET',
  path: '/usage',
  right: 'person',
  handle: ({ module }, { userId }) => module.agent.usage(userId),
};

/** For everybody whether the agent is on, for the owner also the settings. */
const getSettings: Route = {
  method: 'GET',
  path: '/settings',
  right: 'person',
  handle: async ({ module }, { isOwner }) => ({
    ...(await module.status()),
    // The owner's own value of `model`, also while it lacks its URL.
    ...(isOwner && (await module.settings.get())),
  }),
};

const changeSettings: Route = {
  method: 'PATCH',
  path: '/settings',
  right: 'owner',
  handle: ({ module }, { request }) => module.settings.change(agentSettingsInput.parse(request.body)),
};

const getUserKeys: Route = {
  method: 'GET',
  path: '/settings/user-keys',
  right: 'person',
  handle: ({ module }, { userId }) => module.userKeys.get(userId),
};

const changeUserKeys: Route = {
  method: 'PATCH',
  path: '/settings/user-keys',
  right: 'person',
  handle: ({ module }, { userId, request }) =>
    module.userKeys.change(userId, userKeysInput.parse(request.body)),
};

const verify: Route = {
  method: 'POST',
  path: '/settings/verify/:target',
  right: 'owner',
  handle: ({ module }, { userId, request }) => module.verify(userId, idOf(request, 'target', verifyTarget)),
};

export const settingsRoutes = [
  getMemory,
  changeMemory,
  usage,
  getSettings,
  changeSettings,
  getUserKeys,
  changeUserKeys,
  verify,
];
