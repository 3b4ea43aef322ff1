import type { LaneItem, LaneRun, LaneState } from '../../machines/next-lane.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { threadOf } from '../../rows/load.ts';
import type { MessageRow, QueueRow, RunRow, ThreadRow } from '../../rows/rows.ts';
import { openRunStates } from '../../rows/states.ts';

/** A lane as its rows are, and the requests of this process. */
export interface LoadedLane {
  thread: ThreadRow;
  /** In the order of arrival. */
  queued: QueueRow[];
  /** Its run is the one with an end that the lane has not processed, where there is one. */
  state: LaneState;
  /** Another run has begun since that end. */
  hasNewRun: boolean;
}

/** Where a request is in its lane. */
export type Place =
  | { at: 'waiting' }
  | { at: 'run'; runId: string; how: 'own' }
  | { at: 'run'; runId: string; how: 'merged' | 'steered'; into: string };

/** What this process knows of a lane beside its rows. */
export interface LaneMemory {
  requests: { ofThread(userId: string, threadId: string): readonly { requestId: string; place: Place }[] };
  /** Runs that are being stopped, by their ids. */
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

/** The message whose request stands for the run; null for a run without a new message. */
const starterOf = ({ startedBy, messageId }: RunRow): string | null => startedBy ?? messageId;

/** Where a message that belongs to the run is in its lane. */
export const placeInRun = async (
  { store }: Pick<AgentNeeds, 'store'>,
  run: RunRow,
  { id, seq }: Pick<MessageRow, 'id' | 'seq'>,
): Promise<Extract<Place, { at: 'run' }>> => {
  const { userId, threadId, id: runId } = run;
  const starter = starterOf(run);
  if (starter === id) return { at: 'run', runId, how: 'own' };
  if (starter === null) return { at: 'run', runId, how: 'steered', into: runId };
  const [first] = await store.find('agentMessages', { userId, threadId, id: starter });
  // Messages that were steered into the run came behind those that it began with.
  const how = first !== undefined && seq < first.seq ? 'merged' : 'steered';
  return { at: 'run', runId, how, into: starter };
};

const laneRunOf = (run: RunRow, { requests, cancelling }: LaneMemory): LaneRun => {
  const own = requests
    .ofThread(run.userId, run.threadId)
    .flatMap(({ requestId, place }) =>
      place.at === 'run' && place.runId === run.id ? [{ requestId, how: place.how }] : [],
    );
  const startedBy = own.find(({ how }) => how === 'own')?.requestId ?? starterOf(run);
  return {
    id: run.id,
    sender: run.sender,
    startedBy,
    joined: own.filter(({ requestId }) => requestId !== startedBy).map(({ requestId }) => requestId),
    isCancelling: run.stopAskedAt !== null || cancelling.has(run.id),
  };
};

/** `ended`: a run with an end that the lane has not processed. Undefined for a thread that was removed. */
export const loadLane = async (
  { store }: Pick<AgentNeeds, 'store'>,
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
