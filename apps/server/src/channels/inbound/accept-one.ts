import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { createBoundedMap, type Clock } from '@drawbridge/kit';
import type { AccountsStore } from '../accounts.store.ts';
import type { Update } from '../adapter.ts';
import { isStoreTrouble, type MessagesStore } from '../turns/messages.store.ts';
import type { Accept } from './accept.ts';

interface Needs {
  kind: ChannelKind;
  clock: Clock;
  accounts: AccountsStore;
  messages: MessagesStore;
  accept: Accept;
  onError(error: unknown): void;
}

const remembered = 2_000;

/**
 * Stores an update. One that comes again counts for no limit, and one that cannot be read must not keep the
 * next ones away. Throws what a store in trouble throws.
 */
export const createAcceptOne = ({ kind, clock, accounts, messages, accept, onError }: Needs) => {
  const seen = createBoundedMap<string, true>({ maxEntries: remembered });
  return async (update: Update): Promise<void> => {
    if (seen.has(update.updateId)) return;
    try {
      await accept(update);
    } catch (error) {
      if (isStoreTrouble(error)) throw error;
      onError(error);
      if (update.cursor !== null)
        await messages.commit([accounts.moveCursor(kind, update.cursor, clock.now())], 'synced');
    }
    seen.set(update.updateId, true);
  };
};

export type AcceptOne = ReturnType<typeof createAcceptOne>;
