import type { LanePolicy } from '@drawbridge/contracts/agent/lanes';
import type { RunContext } from '../engine/context.ts';
import type { QueueInfo, RequestEvent } from './api.ts';
import type { LaneKey, LoadedLane } from './load-lane.ts';
import type { Arrival } from './lane-writes.ts';
import type { MetricsRecorder } from './metrics.ts';
import type { LaneEffect, LaneEvent, LaneState } from './next-lane.ts';
import { endWithRun, queueInfo } from './request-end.ts';
import type { Place, Requests } from './requests.ts';
import type { RunRow } from '../rows.ts';

/** A run that is being stopped. */
export interface Cancelling {
  cause: 'cancelled' | 'preempted';
  askedAt: number;
  isForced: boolean;
}

interface Needs {
  ctx: Pick<RunContext, 'store' | 'bus' | 'clock'>;
  requests: Requests;
  metrics: MetricsRecorder;
  cancelling: Map<string, Cancelling>;
}

interface Written {
  lane: LoadedLane;
  policy: LanePolicy;
  state: LaneState;
  effects: readonly LaneEffect[];
  arrival: Arrival | undefined;
}

type Of<Type extends LaneEffect['type']> = Extract<LaneEffect, { type: Type }>;

/** A request that was cancelled alone: it waited, or rode in the run of another one. */
const cancelledAt = (place: Place | undefined) => {
  const runId = place?.at === 'run' ? place.runId : null;
  const ridden = place?.at === 'run' && place.how !== 'own' ? { into: place.into, how: place.how } : {};
  return { outcome: 'cancelled', runId, ...ridden } as const;
};

const preemptedText = 'A newer message has interrupted the run; it continues with that message.';

/** Tells the senders of requests what a stored transition means for them. */
export const createPublisher = ({ ctx, requests, metrics, cancelling }: Needs) => {
  const info = (
    code: QueueInfo['code'],
    { lane, policy, state, arrival }: Written,
    id: string,
  ): QueueInfo => {
    const mode = lane.queued.find((row) => row.id === id)?.mode ?? arrival?.row.mode ?? policy.mode;
    return queueInfo(code, { laneId: lane.thread.id, mode, policy, droppedCount: state.droppedCount });
  };

  const onStart = (written: Written, { runId, items }: Of<'start'>) => {
    const { userId, lastSeq } = written.lane.thread;
    const carrier = items.at(-1)?.id ?? '';
    metrics.count(userId, 'start');
    for (const { id, at } of items) {
      metrics.sample(userId, 'waitMs', ctx.clock.now() - at);
      if (id === carrier) {
        requests.move(id, { at: 'run', runId, how: 'own' });
        requests.publish(id, { type: 'started', runId, afterSeq: lastSeq });
      } else {
        metrics.count(userId, 'merged');
        requests.move(id, { at: 'run', runId, how: 'merged', into: carrier });
        requests.publish(id, { type: 'merged', runId, into: carrier });
      }
    }
  };

  const onSteer = ({ lane, state }: Written, { runId, items }: Of<'steer'>) => {
    const into = state.run?.carrier ?? runId;
    for (const { id } of items) {
      metrics.count(lane.thread.userId, 'steered');
      requests.move(id, { at: 'run', runId, how: 'steered', into });
      requests.publish(id, { type: 'steered', runId, into });
    }
  };

  const onCancel = (written: Written, { runId, cause }: Of<'cancelRun'>) => {
    const { lane, state, arrival } = written;
    const { userId } = lane.thread;
    cancelling.set(runId, { cause, askedAt: ctx.clock.now(), isForced: false });
    metrics.count(userId, 'cancel_requested');
    for (const id of [state.run?.carrier ?? '', ...(state.run?.riders ?? [])])
      requests.publish(id, { type: 'cancel-requested' });
    if (cause !== 'preempted' || !arrival) return;
    metrics.count(userId, 'preempted');
    requests.publish(arrival.row.id, { type: 'notice', text: preemptedText });
  };

  const onSettle = async (written: Written, { id, outcome }: Of<'settle'>, run: RunRow | undefined) => {
    const { userId } = written.lane.thread;
    const request = requests.get(id);
    switch (outcome) {
      case 'overflow':
      case 'superseded':
        metrics.count(userId, outcome);
        return requests.end(id, { outcome, queue: info(outcome, written, id), isReplayed: false });
      case 'cancelled':
        return requests.end(id, {
          ...cancelledAt(request?.place),
          content: '',
          isForced: false,
          isReplayed: false,
        });
      case 'busy':
        return requests.end(id, { outcome: 'busy', isReplayed: false });
      case 'ended': {
        if (!run || request?.place.at !== 'run') return;
        const asked = cancelling.get(run.id);
        const queue = asked?.cause === 'preempted' ? info('preempted', written, id) : undefined;
        const { isForced } = asked ?? { isForced: false };
        return requests.end(
          id,
          await endWithRun(ctx, run, { place: request.place, isReplayed: false, isForced, queue }),
        );
      }
      default:
        return outcome satisfies never;
    }
  };

  const onEnded = (userId: string, run: RunRow) => {
    const asked = cancelling.get(run.id);
    if (asked) metrics.sample(userId, 'cancelMs', ctx.clock.now() - asked.askedAt);
    cancelling.delete(run.id);
    metrics.count(
      userId,
      run.state === 'completed' ? 'complete' : run.state === 'cancelled' ? 'cancelled' : 'error',
    );
  };

  const onWait = ({ state, effects }: Written, { item }: Of<'wait'>) => {
    const starts = effects.some(
      (effect) => effect.type === 'start' && effect.items.some(({ id }) => id === item.id),
    );
    if (starts) return;
    const position = state.waiting.findIndex(({ id }) => id === item.id) + 1;
    const event: RequestEvent = { type: 'queued', position, behind: state.run === null ? 'server' : 'run' };
    requests.publish(item.id, event);
  };

  return async (
    { userId, threadId }: LaneKey,
    { event, ended }: { event: LaneEvent; ended?: RunRow | undefined },
    written: Written,
  ): Promise<void> => {
    for (const effect of written.effects) {
      if (effect.type === 'wait') onWait(written, effect);
      else if (effect.type === 'start') onStart(written, effect);
      else if (effect.type === 'steer') onSteer(written, effect);
      else if (effect.type === 'cancelRun') onCancel(written, effect);
      else if (effect.type === 'settle') await onSettle(written, effect, ended);
    }
    if (event.type === 'ended' && ended) onEnded(userId, ended);
    if (written.effects.some(({ type }) => type !== 'arm' && type !== 'claim'))
      ctx.bus.changed(userId, threadId);
  };
};
