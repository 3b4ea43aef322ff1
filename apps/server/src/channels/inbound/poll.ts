import { channelLimits, type ChannelKind, type ChannelState } from '@drawbridge/contracts/outside/channels';
import { exponential, fullJitter, sleep, type Clock } from '@drawbridge/kit';
import type { AccountsStore } from '../accounts.store.ts';
import { PlatformError, type BotIdentity, type ChannelAdapter, type Update } from '../adapter.ts';
import { isStoreTrouble, type MessagesStore } from '../turns/messages.store.ts';
import type { Accept } from './accept.ts';

interface Needs {
  kind: ChannelKind;
  clock: Clock;
  adapter: ChannelAdapter;
  accounts: AccountsStore;
  messages: MessagesStore;
  accept: Accept;
  onIdentity(identity: BotIdentity): void;
  onState(state: ChannelState, problem: string | null): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

const retry = { baseMs: 1_000, capMs: 60_000 };
const conflictMs = 30_000;
const fullMs = 1_000;
/** Telegram starts its numbers anew after a week without updates. */
const cursorMs = 6 * 24 * 60 * 60 * 1_000;

const createCursor =
  ({ kind, clock, accounts }: Needs) =>
  async (): Promise<string | null> => {
    const account = await accounts.read(kind);
    if (!account?.cursor) return null;
    return clock.now() - (account.cursorAt ?? 0) > cursorMs ? null : account.cursor;
  };

/** What holds after a failure, and how long to wait; `waitMs` null: for another key. */
const afterFailure = (
  error: unknown,
  attempt: number,
): { state: ChannelState; problem: string; waitMs: number | null } => {
  const waitMs = fullJitter(exponential(attempt, retry));
  if (!(error instanceof PlatformError))
    return { state: 'unreachable', problem: 'The store cannot be written. Messages wait.', waitMs };
  const { message: problem, retryAfterMs = waitMs } = error;
  if (error.kind === 'key') return { state: 'key', problem, waitMs: null };
  if (error.kind === 'conflict') return { state: 'conflict', problem, waitMs: conflictMs };
  if (error.kind === 'rate') return { state: 'working', problem, waitMs: retryAfterMs };
  return { state: 'unreachable', problem, waitMs };
};

/** Asks the platform for messages until the signal aborts, or it refuses the key. */
export const pollMessages = async (needs: Needs): Promise<void> => {
  const { kind, clock, adapter, accounts, messages, accept, onIdentity, onState, onError, signal } = needs;
  const cursor = createCursor(needs);
  let identity: BotIdentity | null = null;
  let attempt = 0;

  /** An update that cannot be read must not keep the next ones away. */
  const acceptOne = async (update: Update) => {
    try {
      await accept(update);
    } catch (error) {
      if (isStoreTrouble(error)) throw error;
      onError(error);
      await messages.commit([accounts.moveCursor(kind, update.cursor, clock.now())], 'synced');
    }
  };

  const once = async () => {
    if (identity === null) {
      identity = await adapter.identify(signal);
      onIdentity(identity);
    }
    onState('working', null);
    if ((await messages.facts(kind)).waiting >= channelLimits.waiting) return sleep(clock, fullMs, signal);
    for (const update of await adapter.poll(await cursor(), signal)) {
      signal.throwIfAborted();
      await acceptOne(update);
    }
    attempt = 0;
  };

  while (!signal.aborted) {
    try {
      await once();
    } catch (error) {
      if (signal.aborted) return;
      const { state, problem, waitMs } = afterFailure(error, attempt);
      attempt += 1;
      onState(state, problem);
      if (waitMs === null) return;
      await sleep(clock, waitMs, signal).catch(() => undefined);
    }
  }
};
