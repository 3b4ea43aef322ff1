import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type { ChannelState } from '@drawbridge/contracts/outside/channels';
import { exponential, fullJitter, sleep, type Clock } from '@drawbridge/kit';
import { PlatformError, type BotIdentity, type ChannelAdapter } from '../adapter.ts';
import type { MessagesStore } from '../turns/messages.store.ts';
import type { AcceptOne } from './accept-one.ts';

export interface InboundNeeds {
  kind: ChannelKind;
  clock: Clock;
  adapter: ChannelAdapter;
  messages: MessagesStore;
  /** What the platform is asked for next; null without one. */
  cursor(): Promise<string | null>;
  acceptOne: AcceptOne;
  onError(error: unknown): void;
  onIdentity(identity: BotIdentity): void;
  onState(state: ChannelState, problem: string | null): void;
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
