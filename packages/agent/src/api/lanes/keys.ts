import { canonical } from '@drawbridge/kit';
import { defaultLanePolicy } from '@drawbridge/contracts/agent/lanes';
import { endWithRun, queueInfo } from '../../engine/lanes/request-end.ts';
import type { LaneInput, LaneRequest, RequestEnd, RequestEvent } from '../../engine/lanes/request.ts';
import type { Requests } from '../../engine/lanes/requests.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import { agentLimits } from '../../rows/limits.ts';
import { runOf } from '../../rows/load.ts';
import type { RequestRow, RunRow } from '../../rows/rows.ts';
import type { Sender } from '../../rows/sender.ts';
import { placeInRun } from '../../turns/lanes/load-lane.ts';

interface Sent {
  sender: Sender;
  threadId: string;
  input: LaneInput;
}

const hexOf = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What the same key must be sent with again. */
export const digestOf = async ({ threadId, input }: Sent): Promise<string> => {
  const { text, attachments = [], mode = null } = input;
  const body = new TextEncoder().encode(canonical([threadId, text, attachments, mode]));
  return hexOf(await crypto.subtle.digest('SHA-256', body));
};

/** The request that was sent with this key in the last 24 h. */
export const findKept = async (
  { store, clock }: Pick<AgentNeeds, 'store' | 'clock'>,
  { userId, key: sender }: Sender,
  key: string,
): Promise<RequestRow | undefined> => {
  const [known] = await store.find('agentRequests', { userId, sender, key });
  return known && known.createdAt >= clock.now() - agentLimits.keptKeysMs ? known : undefined;
};

/** The same; throws `idempotencyKeyReused` for another body. */
export const findRepeat = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock'>,
  { sender, threadId, input }: Sent,
  digest: string,
): Promise<RequestRow | undefined> => {
  if (input.key === undefined) return undefined;
  const known = await findKept(ctx, sender, input.key);
  if (known && (known.threadId !== threadId || known.digest !== digest)) throw errors.idempotencyKeyReused();
  return known;
};

/** A request that is over; `before`: what happened to it, for its sender to read again. */
const ended = (requestId: string, end: RequestEnd, before: readonly RequestEvent[] = []): LaneRequest => ({
  requestId,
  done: Promise.resolve(end),
  listen: (listener) => {
    for (const event of before) listener(event);
    return () => {};
  },
});

type Replayed = Pick<RequestRow, 'userId' | 'threadId' | 'id' | 'outcome'>;

const cancelled = {
  outcome: 'cancelled',
  runId: null,
  content: '',
  isForced: false,
  isReplayed: true,
} as const;

/** How a request without a run ended. */
const endOf = ({ threadId, outcome }: Replayed): RequestEnd => {
  if (outcome !== 'overflow' && outcome !== 'superseded') return cancelled;
  const { mode } = defaultLanePolicy;
  const queue = queueInfo(outcome, { laneId: threadId, mode, policy: defaultLanePolicy, droppedCount: 0 });
  return { outcome, queue, isReplayed: true };
};

type Replaying = Pick<AgentNeeds, 'store'>;
type InRun = Awaited<ReturnType<typeof placeInRun>>;

const joinedEvent = ({ how, runId, into }: Exclude<InRun, { how: 'own' }>): RequestEvent => ({
  type: how,
  runId,
  into,
});

/** Joins an open run that no sender follows any more: after a restart. It may end meanwhile. */
const joinRun = async (
  ctx: Replaying,
  requests: Requests,
  { run, requestId, place }: { run: RunRow; requestId: string; place: InRun },
): Promise<LaneRequest> => {
  const { userId, threadId, id: runId } = run;
  const request = requests.open({ requestId, userId, threadId, place });
  if (place.how === 'own') requests.publish(requestId, { type: 'started', runId, afterSeq: 0 });
  else requests.publish(requestId, joinedEvent(place));
  const now = await runOf(ctx, userId, runId);
  if (!now) requests.end(requestId, cancelled);
  else if (now.endedAt !== null)
    requests.end(requestId, await endWithRun(ctx, now, { place, isReplayed: true, isForced: false }));
  return request;
};

/** The run of a request's message; undefined where it has none yet, or none any more. */
const runOfRequest = async (ctx: Replaying, { userId, threadId, id }: Replayed) => {
  const [message] = await ctx.store.find('agentMessages', { userId, threadId, id });
  const run = message && (await runOf(ctx, userId, message.runId));
  return run && { run, place: await placeInRun(ctx, run, message) };
};

/** The request of a row: joined while it is open, else with its stored end. */
export const replay = async (ctx: Replaying, requests: Requests, row: Replayed): Promise<LaneRequest> => {
  const { userId, threadId, id: requestId, outcome } = row;
  const open = requests.get(requestId);
  if (open) return open;
  if (outcome !== null) return ended(requestId, endOf(row));
  const isQueued = async () =>
    (await ctx.store.find('agentQueue', { userId, threadId, id: requestId })).length > 0;
  if (await isQueued()) {
    const request = requests.open({ requestId, userId, threadId, place: { at: 'waiting' } });
    if (await isQueued()) return request;
    // Its run began before it was open here.
    requests.end(requestId, cancelled);
  }
  const found = await runOfRequest(ctx, row);
  if (!found) return ended(requestId, cancelled);
  const { run, place } = found;
  if (run.endedAt === null) return joinRun(ctx, requests, { run, requestId, place });
  const end = await endWithRun(ctx, run, { place, isReplayed: true, isForced: false });
  return ended(requestId, end, place.how === 'own' ? [] : [joinedEvent(place)]);
};

/** Ends an open request where another server has ended it, or its run. */
const catchUp = async (ctx: Replaying, requests: Requests, row: Replayed): Promise<void> => {
  if (row.outcome !== null) return requests.end(row.id, endOf(row));
  const found = await runOfRequest(ctx, row);
  if (!found || found.run.endedAt === null) return;
  const { run, place } = found;
  requests.end(row.id, await endWithRun(ctx, run, { place, isReplayed: true, isForced: false }));
};

/** The same for a request with or without a key, which another server may have driven meanwhile. */
export const replayById = async (
  ctx: Replaying,
  requests: Requests,
  request: Omit<Replayed, 'outcome'>,
): Promise<LaneRequest> => {
  const [known] = await ctx.store.find('agentRequests', request);
  const row = known ?? { ...request, outcome: null };
  const replayed = await replay(ctx, requests, row);
  if (requests.get(row.id)) await catchUp(ctx, requests, row);
  return replayed;
};

/** Whether a message was accepted: it waits, or is part of a run. */
export const isAccepted = async (
  { store }: Replaying,
  request: Omit<Replayed, 'outcome'>,
): Promise<boolean> =>
  (await store.find('agentQueue', request)).length > 0 ||
  (await store.find('agentMessages', request)).length > 0 ||
  (await store.find('agentRequests', request)).length > 0;
