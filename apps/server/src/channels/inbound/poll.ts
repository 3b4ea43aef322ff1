import { type ChannelKind, type ChannelMode } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { sleep, type Clock } from '@drawbridge/kit';
import type { AccountsStore } from '../accounts.store.ts';
import { keepConnected, type InboundNeeds } from './keep-connected.ts';

const fullMs = 1_000;
/** Telegram starts its numbers anew after a week without updates. */
const cursorMs = 6 * 24 * 60 * 60 * 1_000;

interface CursorNeeds {
  kind: ChannelKind;
  clock: Clock;
  accounts: AccountsStore;
}

/** What a platform is asked for next; null without one, and where it is too old. */
export const createCursor =
  ({ kind, clock, accounts }: CursorNeeds) =>
  async (): Promise<string | null> => {
    const account = await accounts.read(kind);
    if (!account?.cursor) return null;
    return clock.now() - (account.cursorAt ?? 0) > cursorMs ? null : account.cursor;
  };

/** Stores the updates that the platform has now. Resolves to how long to wait, in milliseconds. */
export const pollOnce = async (needs: InboundNeeds, mode: ChannelMode): Promise<number> => {
  const { kind, adapter, messages, cursor, acceptOne, signal } = needs;
  if ((await messages.facts(kind)).waiting >= channelLimits.waiting) return fullMs;
  const updates = await adapter.poll(await cursor(), signal);
  for (const update of updates) {
    signal.throwIfAborted();
    await acceptOne(update);
  }
  await adapter.confirm?.(signal);
  return adapter.pollEveryMs[mode] ?? 0;
};

/** Asks the platform for messages until the signal aborts, or it refuses the key. */
export const pollMessages = (needs: InboundNeeds): Promise<void> => {
  const { clock, onState, signal } = needs;
  return keepConnected(needs, async () => {
    onState('working', null);
    const waitMs = await pollOnce(needs, 'poll');
    if (waitMs > 0) await sleep(clock, waitMs, signal);
  });
};
