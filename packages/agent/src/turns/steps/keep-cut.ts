import type { Usage } from '@drawbridge/contracts/agent/events';
import { usageWrites } from '../../memory/usage.ts';
import type { ModelInfo } from '../../ports/model.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { agentLimits } from '../../rows/limits.ts';
import { historyOf, nextSeq, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import type { MessagePart } from '../../rows/parts.ts';
import { insert, update, type Write } from '../../rows/store.ts';
import { blockEvents, storedParts } from '../blocks.ts';
import type { Thought } from './call-model.ts';

interface Cut {
  thought: Thought;
  usage: Usage;
  prices: ModelInfo['prices'];
  /** Else the step begins again, and writes its text anew. */
  isEnding: boolean;
}

/** Reasoning without its end is of no use to a model. */
const isText = ({ type }: MessagePart) => type === 'text';

/** Keeps the tokens of a step that was cut off, and its text where the agent ends with it. */
export const keepCut = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'newId'>,
  work: Work,
  { thought, usage, prices, isEnding }: Cut,
): Promise<void> => {
  const { agent, thread, run } = work;
  const { userId, id, steps } = agent;
  const parts = isEnding ? storedParts(thought.parts, true) : [];
  const history = historyOf(agent);
  const said = { userId, threadId: thread.id, runId: run.id, agentId: id, history, step: steps + 1 };
  const messageOf = async (): Promise<Write[]> => {
    const text = parts.filter(isText);
    if (text.length === 0) return [];
    const seq = await nextSeq(ctx, said);
    const tokens = usage.inputTokens + usage.outputTokens;
    const role = { role: 'assistant', source: 'model' } as const;
    return [insert('agentMessages', newMessage(ctx, { ...said, ...role, seq, parts: text, tokens }))];
  };
  // A note may take the number of the message. An agent that has ended meanwhile keeps nothing.
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const writes = [
      update('agentAgents', { userId, id, state: 'ready', steps }, { lastActiveAt: ctx.clock.now() }),
      ...(await messageOf()),
      ...blockEvents(ctx, work.agent, parts),
      ...usageWrites(run, usage, { prices }),
    ];
    if (await ctx.store.commit(writes, 'kept')) return;
  }
};
