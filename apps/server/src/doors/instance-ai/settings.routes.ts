import { memoryInput } from '@drawbridge/contracts/agent/memory';
import { agentSettingsInput, userKeysInput, verifyTarget } from '@drawbridge/contracts/agent/settings';
import { errors } from '../../errors.ts';
import type { Route } from './route.ts';

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
    ...(isOwner && (await module.settings.get())),
    ...(await module.status()),
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
  handle: ({ module }, { userId, request }) => {
    const { params } = request;
    const read = verifyTarget.safeParse(
      params && typeof params === 'object' && Reflect.get(params, 'target'),
    );
    if (!read.success) throw errors.notFound();
    return module.verify(userId, read.data);
  },
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
