import type { Usage } from '@drawbridge/contracts/agent/events';
import type { LaneMode, LaneOverflow } from '@drawbridge/contracts/agent/lanes';
import type { Attachment } from '@drawbridge/contracts/agent/threads';

export interface LaneInput {
  text: string;
  attachments?: readonly Attachment[] | undefined;
  /** What it does while the thread works; the policy of the thread when undefined. */
  mode?: LaneMode | undefined;
  /** Idempotency key: unique for the user and the sender, for 24 h. */
  key?: string | undefined;
  timeZone?: string | undefined;
  machineId?: string | undefined;
}

export interface QueueInfo {
  code: 'overflow' | 'superseded' | 'preempted';
  laneId: string;
  mode: LaneMode;
  overflow: LaneOverflow;
  /** Messages that were refused or dropped since the lane was last empty. */
  droppedCount: number;
}

export type RequestEvent =
  /** `position` counts from 1; `server`: too many runs are open. */
  | { type: 'queued'; position: number; behind: 'run' | 'server' }
  /** Events of the thread behind `afterSeq` with this run id belong to the request. */
  | { type: 'started'; runId: string; afterSeq: number }
  /** `into`: the request that started the run; the id of the run where no message started it. */
  | { type: 'merged' | 'steered'; runId: string; into: string }
  /** A sentence for the sender that is not part of the answer. */
  | { type: 'notice'; text: string }
  | { type: 'cancel-requested' };

/** Of a request that was merged or steered into the run of another one. */
interface Joined {
  into?: string;
  how?: 'merged' | 'steered';
}

/** How a request ended. `content`: what the main agent has said in its run, empty lines between steps. */
export type RequestEnd = { isReplayed: boolean } & (
  | ({ outcome: 'completed'; runId: string; content: string; usage: Usage } & Joined)
  | ({
      outcome: 'error' | 'interrupted';
      runId: string;
      content: string;
      code: string;
      message: string;
    } & Joined)
  /** `isForced`: the run did not stop in time and was released. */
  | ({
      outcome: 'cancelled';
      runId: string | null;
      content: string;
      isForced: boolean;
      queue?: QueueInfo;
    } & Joined)
  | { outcome: 'overflow' | 'superseded'; queue: QueueInfo }
  /** A run is open, and the sender did not want to wait. */
  | { outcome: 'busy' }
);

export interface LaneRequest {
  /** Also the id of the message in the thread. */
  requestId: string;
  /** Never rejects. */
  done: Promise<RequestEnd>;
  /** Calls the listener at once with what has happened so far. */
  listen(listener: (event: RequestEvent) => void): () => void;
}

export interface CancelResult {
  /** Whether something was waiting or running. */
  cancelled: boolean;
  runId: string | null;
  /** Waiting messages that were ended. */
  rejected: number;
}

export interface LaneMetrics {
  runStates: Record<'start' | 'complete' | 'cancel_requested' | 'cancelled' | 'error', number>;
  queueDepth: number;
  /** From the request to the end of the run, the newest 100. */
  cancelLatencyMs: { sampleCount: number; samples: number[] };
  lanes: {
    waitMsP50: number;
    waitMsP95: number;
    overflow: number;
    superseded: number;
    preempted: number;
    merged: number;
    steered: number;
    /** The run ended before the message reached it. */
    steerFellBack: number;
    forced: number;
  };
}
