import { createSealer } from '../secrets/index.ts';
import { systemOutside } from '../auth/index.ts';
import { createNotifications, createPushStore, readVapid, type Notifications } from '../push/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock' | 'outside'> {
  opened: OpenAccounts;
  isPanelOpen(userId: string): boolean;
}

/** What tells people of questions outside of the panel. */
export const startNotifications = ({ config, clock, outside, opened, isPanelOpen }: Parts): Notifications => {
  const { accounts, address, store, secret, scrubber, onError } = opened;
  return createNotifications({
    store: createPushStore(store.db),
    clock,
    outside: outside ?? systemOutside,
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
