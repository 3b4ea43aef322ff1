import type { ChannelKind, ChannelState } from '@drawbridge/contracts/outside/channels';
import { exponential, fullJitter, sleep, type Clock } from '@drawbridge/kit';
import type { AccountsStore } from '../accounts.store.ts';
import { PlatformError, type BotIdentity, type ChannelAdapter, type Update } from '../adapter.ts';
import { isStoreTrouble, type MessagesStore } from '../turns/messages.store.ts';
import type { Accept } from './accept.ts';

export interface InboundNeeds {
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

/** Stores an update. One that cannot be read must not keep the next ones away. */
export const createAcceptOne =
  ({ kind, clock, accounts, messages, accept, onError }: InboundNeeds) =>
  async (update: Update): Promise<void> => {
    try {
      await accept(update);
    } catch (error) {
      if (isStoreTrouble(error)) throw error;
      onError(error);
      await messages.commit([accounts.moveCursor(kind, update.cursor, clock.now())], 'synced');
    }
  };

/** Receives by `once`, again and again, until the signal aborts or the platform refuses the key. */
export const keepConnected = async (needs: InboundNeeds, once: () => Promise<void>): Promise<void> => {
  const { clock, adapter, onIdentity, onState, signal } = needs;
  let identity: BotIdentity | null = null;
  let attempt = 0;
  while (!signal.aborted) {
    try {
      if (identity === null) {
        identity = await adapter.identify(signal);
        onIdentity(identity);
      }
      await once();
      attempt = 0;
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
