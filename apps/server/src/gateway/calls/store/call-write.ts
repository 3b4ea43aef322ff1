import type { CallRecord } from '../call.ts';
import type { ConfirmationAnswerRecord, NewConfirmation } from './confirmation-row.ts';

/** The call's stream is on this server and still the machine's newest. */
export interface StreamFence {
  stream: number;
  serverId: string;
}

/** The machine has had no newer stream. */
export type NewestFence = Pick<StreamFence, 'stream'>;

/** No daemon of the machine has made an init after this epoch. */
export interface EpochFence {
  askedIn: number;
}

/** Where no stream is here the machine has to be connected, wherever. */
export type Fence = StreamFence | 'connected';

export type UpdateFence = StreamFence | NewestFence | EpochFence;

/** How many calls of a user, and of one token or client, may be open. */
export interface OpenLimits {
  maxOpenCalls: number;
  maxOpenCallsOfOne: number;
}

/** A thread of the agent and the server that drives it, by number. */
export interface ThreadDriver {
  userId: string;
  threadId: string;
  driverId: string;
  fence: number;
}

/** One row that a transition of a call changes. */
export type CallWrite =
  /** Outdated where the idempotency key is not claimed for that call any more. */
  | { type: 'end-claim'; key: string; requestId: string }
  /** Outdated where another server drives the thread. */
  | { type: 'require-driver'; driver: ThreadDriver }
  /**
   * Outdated where the machine of the call is not as `fence` says; with several servers also where too many
   * calls are open, and where the call is stored already.
   */
  | { type: 'insert-call'; record: CallRecord; fence: Fence; makerId: string; dueAt: number }
  /**
   * Outdated where the stored `rev` is not the one before, or the call has ended. `resultText`: the result's
   * JSON, where it exists.
   */
  | {
      type: 'update-call';
      record: CallRecord;
      resultText: string | null;
      dueAt: number;
      fence?: UpdateFence;
    }
  | { type: 'open-confirmation'; confirmation: NewConfirmation; record: CallRecord }
  /** Outdated where it is not open any more. */
  | { type: 'answer-confirmation'; answer: ConfirmationAnswerRecord }
  | { type: 'close-confirmation'; id: string; as: 'withdrawn' | 'expired'; at: number };
