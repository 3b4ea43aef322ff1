import { createSealer } from '../secrets/index.ts';
import { systemNetwork } from '../outside/index.ts';
import { createNotifications, createNotifyStore, readVapid, type Notifications } from '../notify/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock' | 'outside'> {
  opened: OpenAccounts;
  isPanelOpen(userId: string): boolean;
}

/** Sends questions to devices and webhooks. */
export const startNotifications = ({ config, clock, outside, opened, isPanelOpen }: Parts): Notifications => {
  const { accounts, address, store, secret, scrubber, onError } = opened;
  return createNotifications({
    store: createNotifyStore(store.db),
    clock,
    outside: outside ?? systemNetwork,
    vapid: readVapid(config.dataDir),
    sealer: createSealer(secret),
    url: address.url,
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    isPanelOpen,
    liveSessions: accounts.liveSessions,
    hide: scrubber.hide,
    onError,
  });
};
