import type { AgentNeeds } from '../../ports/needs.ts';
import { historyOf, nextSeq, runtimeOf, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import type { MessagePart } from '../../rows/parts.ts';
import type { AgentRow, RunRow, ToolCallRow } from '../../rows/rows.ts';
import { runtimeKey } from '../../rows/sender.ts';
import { insert, type Write } from '../../rows/store.ts';
import { blockEvents, storedParts } from '../blocks.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock' | 'newId'>;

/** A turn of a coding agent: its call, whose it is, and which one it is. */
export interface OpenTurn {
  call: ToolCallRow;
  agent: AgentRow;
  runtime: NonNullable<RunRow['runtime']>;
}

/** Reasoning of a coding agent belongs to no provider that could read it again. */
const ownReasoning = { provider: 'runtime', metadata: null };

/** The step of an event of a turn, by its number: each has one of its own, behind that of the call. */
export const stepOf = ({ step }: Pick<ToolCallRow, 'step'>, number: number): number => step + 1 + number;

/** Messages that a coding agent writes, with the next numbers of the history. */
export const createSpeaker = async (ctx: Needs, { agent, runtime }: OpenTurn) => {
  const { userId, threadId, runId, id: agentId } = agent;
  const history = historyOf(agent);
  let seq = await nextSeq(ctx, { userId, threadId, history });
  const say = (parts: MessagePart[], step: number): Write => {
    const ids = { userId, threadId, history, runId, agentId };
    const row = newMessage(ctx, { ...ids, seq, step, role: 'assistant', source: 'model', parts });
    seq += 1;
    return insert('agentMessages', { ...row, sender: runtimeKey(runtime.id) });
  };
  return {
    say,
    block: ({ type, text }: { type: 'text' | 'thought'; text: string }, step: number): Write[] => {
      if (text === '') return [];
      const part = type === 'text' ? { type, text } : { type: 'reasoning' as const, text, ...ownReasoning };
      const parts = storedParts([part], true);
      return [say(parts, step), ...blockEvents(ctx, { ...agent, steps: step - 1 }, parts)];
    },
  };
};

/** The text that open turns were writing: no event behind it will say that it is whole. */
export const lastWords = async (
  ctx: Needs & Pick<AgentNeeds, 'bus'>,
  work: Pick<Work, 'run' | 'agent'>,
  calls: readonly ToolCallRow[],
): Promise<Write[]> => {
  const { agent } = work;
  const runtime = runtimeOf(work);
  const writes: Write[] = [];
  for (const call of calls) {
    if (runtime === null || call.turnEvents === null) continue;
    const { userId, threadId, agentId } = call;
    const step = stepOf(call, call.turnEvents);
    const writing = ctx.bus.writing(userId, threadId, { agentId, step });
    if (writing === undefined) continue;
    const speaker = await createSpeaker(ctx, { call, agent, runtime });
    const type = writing.kind === 'text' ? 'text' : 'thought';
    writes.push(...speaker.block({ type, text: writing.text }, step));
  }
  return writes;
};
