import { createMetaStore } from '../db/index.ts';
import { createSealer } from '../secrets/index.ts';
import { systemNetwork } from '../outside/index.ts';
import { createNotifications, createNotifyStore, loadVapid, type Notifications } from '../notify/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock' | 'outside'> {
  opened: OpenAccounts;
  isPanelOpen(userId: string): Promise<boolean>;
}

/** Sends questions to devices and webhooks. */
export const startNotifications = async (parts: Parts): Promise<Notifications> => {
  const { config, clock, outside, opened, isPanelOpen } = parts;
  const { accounts, address, store, secret, scrubber, onError } = opened;
  const sealer = createSealer(secret);
  const meta = createMetaStore(store.db);
  return createNotifications({
    store: createNotifyStore(store.db),
    clock,
    outside: outside ?? systemNetwork,
    vapid: await loadVapid({ meta, sealer, dataDir: config.dataDir }),
    sealer,
    url: address.url,
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    isPanelOpen,
    liveSessions: accounts.liveSessions,
    hide: scrubber.hide,
    onError,
  });
};
