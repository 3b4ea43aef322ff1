import { memoryInput } from '@drawbridge/contracts/agent/memory';
import {
  agentSettingsInput,
  settingsDraft,
  userKeysInput,
  verifyTarget,
} from '@drawbridge/contracts/agent/settings';
import { partOf, route } from './route.ts';

export const settingsRoutes = [
  route('GET /memory', 'person', ({ module }, { userId }) => module.agent.memory.get(userId)),
  route('PATCH /memory', 'person', ({ module }, { userId, request }) =>
    module.agent.memory.change(userId, memoryInput.parse(request.body)),
  ),
  route('GET /usage', 'person', async ({ module }, { userId }) => {
    const { tokens, costMicro } = await module.agent.credits(userId);
    return { tokens, costMicro };
  }),
  route('GET /credits', 'person', async ({ module }, { userId }) => {
    const { unit, quota, used, resetsAt } = await module.agent.credits(userId);
    return { unit, quota, used, resetsAt };
  }),
  // For everybody whether the agent is on, with the settings of specification 8; for the owner all settings.
  route('GET /settings', 'person', async ({ module, moduleSettings }, { userId, isOwner }) => ({
    ...(await moduleSettings(userId)),
    ...(await module.status()),
    // The owner's own value of `model`, also while it lacks its URL.
    ...(isOwner && (await module.settings.get())),
  })),
  route('PATCH /settings', 'owner', ({ module }, { request }) =>
    module.settings.change(agentSettingsInput.parse(request.body)),
  ),
  route('GET /settings/user-keys', 'person', ({ module }, { userId }) => module.userKeys.get(userId)),
  route('PATCH /settings/user-keys', 'person', ({ module }, { userId, request }) =>
    module.userKeys.change(userId, userKeysInput.parse(request.body)),
  ),
  route('POST /settings/verify/:target', 'owner', ({ module }, { userId, request }) =>
    module.verify(userId, partOf(request, 'target', verifyTarget), settingsDraft.parse(request.body ?? {})),
  ),
];
