import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { sleep } from '@drawbridge/kit';
import { createAcceptOne, keepConnected, type InboundNeeds } from './keep-connected.ts';

const fullMs = 1_000;
/** Telegram starts its numbers anew after a week without updates. */
const cursorMs = 6 * 24 * 60 * 60 * 1_000;

const createCursor =
  ({ kind, clock, accounts }: InboundNeeds) =>
  async (): Promise<string | null> => {
    const account = await accounts.read(kind);
    if (!account?.cursor) return null;
    return clock.now() - (account.cursorAt ?? 0) > cursorMs ? null : account.cursor;
  };

/** Asks the platform for messages until the signal aborts, or it refuses the key. */
export const pollMessages = (needs: InboundNeeds): Promise<void> => {
  const { kind, clock, adapter, messages, onState, signal } = needs;
  const cursor = createCursor(needs);
  const acceptOne = createAcceptOne(needs);
  return keepConnected(needs, async () => {
    onState('working', null);
    if ((await messages.facts(kind)).waiting >= channelLimits.waiting) return sleep(clock, fullMs, signal);
    for (const update of await adapter.poll(await cursor(), signal)) {
      signal.throwIfAborted();
      await acceptOne(update);
    }
  });
};
