import { createMetaStore } from '../db/index.ts';
import { createSealer } from '../secrets/index.ts';
import { systemNetwork } from '../outside/index.ts';
import { createNodePush, createPushTokensStore } from '../nodes/index.ts';
import { createNotifications, createNotifyStore, loadVapid, openMobileSenders } from '../notify/index.ts';
import type { SettingsOfServer } from '../settings/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock' | 'outside'> {
  opened: OpenAccounts;
  settings: SettingsOfServer;
  isPanelOpen(userId: string): Promise<boolean>;
}

/** The push tokens of nodes, and what sends with them. */
const startNodePush = async ({ config, clock, opened, settings }: Parts) => {
  const { store, secret, log, tokens } = opened;
  const warn = (sentence: string) => log.warn(sentence);
  return createNodePush({
    clock,
    store: createPushTokensStore(store.db),
    sealer: createSealer(secret),
    senders: await openMobileSenders({ clock, environment: config, warn }),
    gates: async () => (await settings.get()).values.nodes,
    mayUseNodes: async (userId, id) =>
      (await tokens.list(userId)).some((one) => one.id === id && one.scopes.includes('node')),
    warn,
  });
};

/** Sends questions to devices, nodes and webhooks. */
export const startNotifications = async (parts: Parts) => {
  const { config, clock, outside, opened, isPanelOpen } = parts;
  const { accounts, address, store, secret, scrubber, onError } = opened;
  const sealer = createSealer(secret);
  const meta = createMetaStore(store.db);
  const nodePush = await startNodePush(parts);
  const notifications = createNotifications({
    store: createNotifyStore(store.db),
    clock,
    outside: outside ?? systemNetwork,
    vapid: await loadVapid({ meta, sealer, dataDir: config.dataDir }),
    sealer,
    url: address.url,
    sendToNodes: nodePush.send,
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    isPanelOpen,
    liveSessions: accounts.liveSessions,
    hide: scrubber.hide,
    onError,
  });
  return { notifications, nodePush };
};
