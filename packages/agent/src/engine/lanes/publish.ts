import type { LaneEffect } from '../../machines/next-lane.ts';
import type { RunRow } from '../../rows/rows.ts';
import type { Place } from '../../turns/lanes/load-lane.ts';
import { isWaitingAfter } from '../../turns/lanes/plan-turn.ts';
import type { Planned, Turn } from '../../turns/lanes/turn.ts';
import type { LaneParts } from './lane-context.ts';
import { endWithRun, queueInfo } from './request-end.ts';
import type { QueueInfo, RequestEvent } from './request.ts';

type Of<Type extends LaneEffect['type']> = Extract<LaneEffect, { type: Type }>;

/** A request that was cancelled alone: it waited, or was part of the run of another one. */
const cancelledAt = (place: Place | undefined) => {
  const runId = place?.at === 'run' ? place.runId : null;
  const joined = place?.at === 'run' && place.how !== 'own' ? { into: place.into, how: place.how } : {};
  return { outcome: 'cancelled', runId, ...joined } as const;
};

const preemptedText = 'A newer message has interrupted the run; it continues with that message.';

const info = (code: QueueInfo['code'], { lane, policy, state, arrival }: Planned, id: string): QueueInfo => {
  const mode = lane.queued.find((row) => row.id === id)?.mode ?? arrival?.row.mode ?? policy.mode;
  return queueInfo(code, { laneId: lane.thread.id, mode, policy, droppedCount: state.droppedCount });
};

const onStart = ({ ctx, requests, metrics }: LaneParts, written: Planned, { runId, items }: Of<'start'>) => {
  const { userId, lastSeq } = written.lane.thread;
  const last = items.at(-1)?.id ?? '';
  metrics.count(userId, 'start');
  for (const { id, at } of items) {
    metrics.sample(userId, 'waitMs', ctx.clock.now() - at);
    if (id === last) {
      requests.move(id, { at: 'run', runId, how: 'own' });
      requests.publish(id, { type: 'started', runId, afterSeq: lastSeq });
    } else {
      metrics.count(userId, 'merged');
      requests.move(id, { at: 'run', runId, how: 'merged', into: last });
      requests.publish(id, { type: 'merged', runId, into: last });
    }
  }
};

const onSteer = (
  { requests, metrics }: LaneParts,
  { lane, state }: Planned,
  { runId, items }: Of<'steer'>,
) => {
  const into = state.run?.startedBy ?? runId;
  for (const { id } of items) {
    metrics.count(lane.thread.userId, 'steered');
    requests.move(id, { at: 'run', runId, how: 'steered', into });
    requests.publish(id, { type: 'steered', runId, into });
  }
};

const onCancel = (
  { ctx, requests, metrics, cancelling }: LaneParts,
  written: Planned,
  { runId, cause }: Of<'cancelRun'>,
) => {
  const { lane, state, arrival } = written;
  const { userId, id: threadId } = lane.thread;
  const interrupted = state.run?.startedBy ?? '';
  cancelling.set(runId, { cause, askedAt: ctx.clock.now(), isForced: false });
  metrics.count(userId, 'cancel_requested');
  for (const id of [interrupted, ...(state.run?.joined ?? [])])
    requests.publish(id, { type: 'cancel-requested' });
  if (cause !== 'preempted' || !arrival) return;
  metrics.count(userId, 'preempted');
  ctx.onPreempted?.({ userId, threadId, runId, interrupted, by: arrival.row.id });
  requests.publish(arrival.row.id, { type: 'notice', text: preemptedText });
};

interface Settling extends Of<'settle'> {
  ended: RunRow | undefined;
}

const onSettle = async (needs: LaneParts, planned: Planned, { id, outcome, ended }: Settling) => {
  const { ctx, requests, metrics, cancelling } = needs;
  const place = requests.get(id)?.place;
  const isReplayed = false;
  switch (outcome) {
    case 'overflow':
    case 'superseded':
      metrics.count(planned.lane.thread.userId, outcome);
      return requests.end(id, { outcome, queue: info(outcome, planned, id), isReplayed });
    case 'cancelled':
      return requests.end(id, { ...cancelledAt(place), content: '', isForced: false, isReplayed });
    case 'busy':
      return requests.end(id, { outcome, isReplayed });
    case 'ended': {
      if (!ended || place?.at !== 'run') return;
      const asked = cancelling.get(ended.id);
      const queue = asked?.cause === 'preempted' ? info('preempted', planned, id) : undefined;
      const isForced = asked?.isForced === true;
      return requests.end(id, await endWithRun(ctx, ended, { place, isReplayed, isForced, queue }));
    }
    default:
      return outcome satisfies never;
  }
};

const onEnded = ({ ctx, metrics, cancelling }: LaneParts, { userId, ...run }: RunRow) => {
  const asked = cancelling.get(run.id);
  if (asked) metrics.sample(userId, 'cancelMs', ctx.clock.now() - asked.askedAt);
  cancelling.delete(run.id);
  metrics.count(
    userId,
    run.state === 'completed' ? 'complete' : run.state === 'cancelled' ? 'cancelled' : 'error',
  );
};

const onWait = ({ requests }: LaneParts, planned: Planned, { item }: Of<'wait'>) => {
  if (!isWaitingAfter(planned, item.id)) return;
  const { run, waiting } = planned.state;
  const position = waiting.findIndex(({ id }) => id === item.id) + 1;
  const event: RequestEvent = { type: 'queued', position, behind: run === null ? 'server' : 'run' };
  requests.publish(item.id, event);
};

/** Publishes to the senders of requests what a stored transition means for them. */
export const publishTurn = async (
  needs: LaneParts,
  planned: Planned,
  { event, ended }: Turn,
): Promise<void> => {
  const { userId, id: threadId } = planned.lane.thread;
  for (const effect of planned.effects) {
    if (effect.type === 'wait') onWait(needs, planned, effect);
    else if (effect.type === 'start') onStart(needs, planned, effect);
    else if (effect.type === 'steer') onSteer(needs, planned, effect);
    else if (effect.type === 'cancelRun') onCancel(needs, planned, effect);
    else if (effect.type === 'settle') await onSettle(needs, planned, { ...effect, ended });
  }
  if (event.type === 'ended' && ended) onEnded(needs, ended);
  if (planned.effects.some(({ type }) => type !== 'schedule' && type !== 'acquireSlot'))
    needs.ctx.bus.changed(userId, threadId);
};
