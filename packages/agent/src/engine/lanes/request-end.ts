import type { LaneMode, LanePolicy } from '@drawbridge/contracts/agent/lanes';
import type { AgentNeeds } from '../../ports/needs.ts';
import { mainHistory, type RunRow } from '../../rows/rows.ts';
import { usageOf } from '../../turns/ends/end-agent.ts';
import { noAnswer } from '../../turns/blocks.ts';
import type { Place } from '../../turns/lanes/load-lane.ts';
import type { QueueInfo, RequestEnd } from './request.ts';

type Reads = Pick<AgentNeeds, 'store'>;

/** All that the main agent of a run has said; a run that did something else may have said nothing. */
const contentOf = async ({ store }: Reads, { userId, threadId, id: runId }: RunRow): Promise<string> => {
  const where = { userId, threadId, history: mainHistory, runId, source: 'model' } as const;
  const messages = await store.find('agentMessages', where, { orderBy: 'seq', isLenient: true });
  const texts = messages.map(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
  );
  const didSomething = messages.some(({ parts }) => parts.some(({ type }) => type === 'tool-call'));
  const said = texts.filter((text) => text !== '' && text !== noAnswer);
  return said.length === 0 && !didSomething ? texts.join('') : said.join('\n\n');
};

const codeOf = async ({ store }: Reads, { userId, threadId, id }: RunRow): Promise<string> => {
  const events = await store.find('agentEvents', { userId, threadId }, { isLenient: true });
  const last = events.findLast(({ event }) => event.type === 'error' && event.runId === id)?.event;
  return last?.type === 'error' ? last.payload.code : 'INTERNAL';
};

const noUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

interface EndOfRun {
  place: Extract<Place, { at: 'run' }>;
  isReplayed: boolean;
  isForced: boolean;
  /** Of a run that a newer message has interrupted. */
  queue?: QueueInfo | undefined;
}

/** How a request ended with its run. */
export const endWithRun = async (
  ctx: Reads,
  run: RunRow,
  { place, isReplayed, isForced, queue }: EndOfRun,
): Promise<RequestEnd> => {
  const joined = place.how === 'own' ? {} : { into: place.into, how: place.how };
  const base = { ...joined, isReplayed, runId: run.id, content: await contentOf(ctx, run) };
  const message = run.reason ?? 'The run ended with an error.';
  switch (run.state) {
    case 'completed':
      return { ...base, outcome: 'completed', usage: place.how === 'own' ? usageOf(run) : noUsage };
    case 'cancelled':
      return { ...base, outcome: 'cancelled', isForced, ...(queue && { queue }) };
    case 'interrupted':
      return { ...base, outcome: 'interrupted', code: 'INTERRUPTED', message };
    case 'error':
    case 'active':
    case 'suspended':
      return { ...base, outcome: 'error', code: await codeOf(ctx, run), message };
    default:
      return run.state satisfies never;
  }
};

export const queueInfo = (
  code: QueueInfo['code'],
  {
    laneId,
    mode,
    policy,
    droppedCount,
  }: { laneId: string; mode: LaneMode; policy: LanePolicy; droppedCount: number },
): QueueInfo => ({ code, laneId, mode, overflow: policy.overflow, droppedCount });
