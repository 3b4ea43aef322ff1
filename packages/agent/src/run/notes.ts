import { untrusted } from '../prompt/untrusted.ts';
import { mainHistory, type MessageRow } from '../rows.ts';
import { insert, type Write } from '../store-port.ts';
import type { AgentNeeds, Work } from '../engine/context.ts';
import type { AgentEnd } from './end-agent.ts';
import { nextSeq } from '../engine/load.ts';
import { markOf } from '../step/result.ts';

/** A message of the server to the main agent; it reads it in its next step. */
export const noteFor = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'newId'>,
  { thread, run }: Pick<Work, 'thread' | 'run'>,
  { text, seq }: { text: string; seq?: number },
): Promise<Write> => {
  const { userId, id: threadId } = thread;
  const row: MessageRow = {
    userId,
    threadId,
    history: mainHistory,
    seq: seq ?? (await nextSeq(ctx, { userId, threadId, history: mainHistory })),
    id: ctx.newId('msg_'),
    runId: run.id,
    agentId: null,
    step: 0,
    role: 'user',
    source: 'note',
    v: 1,
    parts: [{ type: 'text', text }],
    tokens: 0,
    createdAt: ctx.clock.now(),
  };
  return insert('agentMessages', row);
};

export const noteOfEnd = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'newId'>,
  work: Work,
  { outcome, result, error }: AgentEnd,
): Promise<Write[]> => {
  const { id, title } = work.agent;
  const cause = error === undefined ? '' : ` ${error}`;
  const shown = untrusted(result, { source: `task ${id}`, mark: markOf(work.run) });
  return [
    await noteFor(ctx, work, {
      text: `[Background task ${id} "${title}" ended: ${outcome}.${cause}]\n${shown}`,
    }),
  ];
};
