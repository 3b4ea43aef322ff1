import type { LaneRecord } from '@drawbridge/contracts/agent/lanes';
import { cutText } from '@drawbridge/kit';
import type { LaneEffect, LaneState, Settlement } from '../../machines/next-lane.ts';
import type { QueueRow, RequestRow } from '../../rows/rows.ts';
import { hookOf, personKey } from '../../rows/sender.ts';
import { insert, put, remove, update, type Write } from '../../rows/store.ts';
import type { LoadedLane } from './load-lane.ts';

/** A message that comes, with what is stored if it is accepted. */
export interface Arrival {
  /** Its position is given when it waits. */
  row: QueueRow;
  /** Its files. */
  files: readonly Write[];
  /** Of its idempotency key. */
  request: RequestRow | null;
}

const droppedLength = 160;
const droppedTexts = 20;

/** Removes a message from the queue; the transaction fails where it was removed meanwhile. */
const dequeue = ({ userId, threadId, id, position }: QueueRow): Write[] => [
  update('agentQueue', { userId, threadId, id }, { position }),
  remove('agentQueue', { userId, threadId, id }),
];

/** How a request ended without a run, where a client may ask again. */
const outcomeOf = (outcome: Settlement): RequestRow['outcome'] =>
  outcome === 'ended' || outcome === 'busy' ? null : outcome;

const settleWrites = (
  { queued }: LoadedLane,
  arrival: Arrival | undefined,
  { id, outcome }: Extract<LaneEffect, { type: 'settle' }>,
): Write[] => {
  const row = queued.find((one) => one.id === id);
  if (row) {
    const { userId, sender, key } = row;
    const closed = { outcome: outcomeOf(outcome) };
    return [
      ...dequeue(row),
      ...(key === null ? [] : [update('agentRequests', { userId, sender, key }, closed)]),
    ];
  }
  if (arrival?.row.id !== id || arrival.request === null || outcome === 'busy') return [];
  return [put('agentRequests', { ...arrival.request, outcome: outcomeOf(outcome) })];
};

/** What the next run reads of a dropped message: only the person's words are quoted. */
const droppedText = ({ queued }: LoadedLane, id: string): string | undefined => {
  const row = queued.find((one) => one.id === id);
  if (row === undefined || row.sender === personKey) return row?.text;
  const hook = hookOf(row.sender);
  return hook === null ? 'A message of a client' : `A delivery of the webhook ${hook}`;
};

/** What the thread keeps of its lane after these effects. */
const recordAfter = (
  lane: LoadedLane,
  { droppedCount }: LaneState,
  { effects, isSummarized }: { effects: readonly LaneEffect[]; isSummarized: boolean },
): LaneRecord => {
  const { overrides, droppedTexts: before } = lane.thread.lane;
  if (effects.some(({ type }) => type === 'start')) return { overrides, droppedCount, droppedTexts: [] };
  const dropped = effects.flatMap((effect) => {
    const text =
      effect.type === 'settle' && effect.outcome === 'overflow' ? droppedText(lane, effect.id) : undefined;
    return text === undefined || !isSummarized ? [] : [cutText(text, droppedLength)];
  });
  return { overrides, droppedCount, droppedTexts: [...before, ...dropped].slice(-droppedTexts) };
};

const idsIn = (effects: readonly LaneEffect[], ...types: LaneEffect['type'][]): Set<string> =>
  new Set(
    effects.flatMap((effect) => {
      if (!types.includes(effect.type)) return [];
      if ('items' in effect) return effect.items.map(({ id }) => id);
      return 'item' in effect ? [effect.item.id] : 'id' in effect ? [effect.id] : [];
    }),
  );

/** The new message, where it was accepted: it waits unless it runs at once. */
const arrivalWrites = (
  { queued }: LoadedLane,
  arrival: Arrival | undefined,
  effects: readonly LaneEffect[],
): Write[] => {
  if (!arrival || idsIn(effects, 'settle').has(arrival.row.id)) return [];
  const { row, files, request } = arrival;
  const waits = !idsIn(effects, 'start', 'steer').has(row.id);
  const position = (queued.at(-1)?.position ?? 0) + 1;
  return [
    ...files,
    ...(request === null ? [] : [put('agentRequests', request)]),
    ...(waits ? [insert('agentQueue', { ...row, position })] : []),
  ];
};

/** What a transition of a lane writes beside its run, in one transaction. */
export const laneWrites = (
  lane: LoadedLane,
  arrival: Arrival | undefined,
  {
    state,
    effects,
    isSummarized,
  }: { state: LaneState; effects: readonly LaneEffect[]; isSummarized: boolean },
): Write[] => {
  const { thread, queued } = lane;
  const { userId, id: threadId } = thread;
  const dequeued = idsIn(effects, 'start', 'steer');
  const writes = effects.flatMap((effect): Write[] => {
    switch (effect.type) {
      case 'settle':
        return settleWrites(lane, arrival, effect);
      case 'hold':
        return queued.length === 0
          ? []
          : [update('agentQueue', { userId, threadId }, { isHeld: effect.isHeld })];
      case 'moveToFront': {
        const position = (queued[0]?.position ?? 0) - 1;
        const first = { mode: 'followup', isHeld: false, position } as const;
        // A message that runs at once is removed by its old position.
        return dequeued.has(effect.id)
          ? []
          : [update('agentQueue', { userId, threadId, id: effect.id }, first)];
      }
      case 'wait':
      case 'acquireSlot':
      case 'start':
      case 'steer':
      case 'cancelRun':
      case 'schedule':
        return [];
      default:
        return effect satisfies never;
    }
  });
  const record = recordAfter(lane, state, { effects, isSummarized });
  const isSame = JSON.stringify(record) === JSON.stringify(thread.lane);
  return [
    ...writes,
    ...queued.filter(({ id }) => dequeued.has(id)).flatMap(dequeue),
    ...arrivalWrites(lane, arrival, effects),
    ...(isSame ? [] : [update('agentThreads', { userId, id: threadId }, { lane: record })]),
  ];
};
