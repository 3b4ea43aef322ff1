import type { RunContext } from '../../engine/context.ts';
import { threadOf } from '../../engine/load.ts';
import type { QueueRow, RunRow, ThreadRow } from '../../rows.ts';
import { openRunStates } from '../../states.ts';
import type { ThreadKey } from '../../thread-key.ts';
import type { LaneItem, LaneRun, LaneState } from '../next-lane.ts';
import type { Requests } from '../requests.ts';

/** A lane as its rows are, and the requests of this process. */
export interface LoadedLane {
  thread: ThreadRow;
  /** In the order of arrival. */
  queued: QueueRow[];
  /** Its run is the one whose end was not seen, where there is one. */
  state: LaneState;
  /** Another run has begun since that end. */
  hasNewRun: boolean;
}

export interface LaneMemory {
  requests: Requests;
  /** Runs that are being stopped, as far as this process knows. */
  cancelling: ReadonlyMap<string, unknown>;
}

const itemOf = ({ id, mode, sender, channel, createdAt, isHeld }: QueueRow): LaneItem => ({
  id,
  mode,
  sender,
  channel,
  at: createdAt,
  isHeld,
});

const laneRunOf = (run: RunRow, { requests, cancelling }: LaneMemory): LaneRun => {
  const own = requests
    .ofThread(run.userId, run.threadId)
    .flatMap(({ requestId, place }) =>
      place.at === 'run' && place.runId === run.id ? [{ requestId, how: place.how }] : [],
    );
  const carrier = own.find(({ how }) => how === 'own')?.requestId ?? run.messageId;
  return {
    id: run.id,
    sender: run.sender,
    carrier,
    riders: own.filter(({ requestId }) => requestId !== carrier).map(({ requestId }) => requestId),
    isCancelling: run.stopAskedAt !== null || cancelling.has(run.id),
  };
};

/** `ended`: a run whose end the lane has not seen. Undefined for a thread that is gone. */
export const loadLane = async (
  { store }: Pick<RunContext, 'store'>,
  memory: LaneMemory,
  { userId, threadId, ended }: ThreadKey & { ended?: RunRow | undefined },
): Promise<LoadedLane | undefined> => {
  const newestRun = { orderBy: 'startedAt', descending: true, limit: 1 } as const;
  const [thread, [newest], queued] = await Promise.all([
    threadOf({ store }, userId, threadId),
    store.find('agentRuns', { userId, threadId }, newestRun),
    store.find('agentQueue', { userId, threadId }, { orderBy: 'position' }),
  ]);
  if (!thread) return undefined;
  const open = openRunStates.some((state) => state === newest?.state) ? newest : undefined;
  const run = ended ?? open;
  return {
    thread,
    queued,
    hasNewRun: ended !== undefined && open !== undefined,
    state: {
      run: run ? laneRunOf(run, memory) : null,
      waiting: queued.map(itemOf),
      endedAt: newest?.endedAt ?? null,
      droppedCount: thread.lane.droppedCount,
    },
  };
};
