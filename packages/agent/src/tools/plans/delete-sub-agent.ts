import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import { filesOf } from '../../rows/parts.ts';
import type { EventRow, ThreadRow } from '../../rows/rows.ts';
import { remove, update, type Write } from '../../rows/store.ts';
import type { SubAgent } from './sub-agent-turns.ts';

/** Where an event of it was: only that it was there, and how it ended, stays. */
const emptied = (event: StoredEvent): StoredEvent => {
  const { runId, agentId, ts } = event;
  switch (event.type) {
    case 'agent-spawned': {
      const { title: _title, subtitle: _subtitle, goal: _goal, ...payload } = event.payload;
      return { ...event, payload };
    }
    case 'agent-completed': {
      const { role, status } = event.payload;
      return { ...event, payload: { role, status, result: '' } };
    }
    default:
      return { type: 'agent-deleted', runId, agentId, ts, payload: {} };
  }
};

const emptyEvent = ({ userId, threadId, seq, event }: EventRow): Write =>
  update('agentEvents', { userId, threadId, seq }, { event: emptied(event) });

/**
 * Deletes what an ended sub-agent was asked, said and did in all of its turns. What its parent wrote to it
 * and read from it is part of the chat, and stays.
 */
export const deletionOf = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock'>,
  { userId, id: threadId }: Pick<ThreadRow, 'userId' | 'id'>,
  { id: history, turns }: SubAgent,
): Promise<Write[]> => {
  const agentId = turns.map(({ id }) => id);
  const [calls, events] = await Promise.all([
    ctx.store.find('agentToolCalls', { userId, agentId }, { isLenient: true }),
    ctx.store.find('agentEvents', { userId, threadId }, { isLenient: true }),
  ]);
  const shown = calls.map(({ result }) => filesOf(result ?? []));
  const files = shown.flatMap(({ pictures = [], files: sent = [] }) => [
    ...pictures,
    ...sent.map(({ id }) => id),
  ]);
  const isOwn = ({ event }: EventRow) => event.agentId !== null && agentId.includes(event.agentId);
  const gone = { title: '', instructions: '', result: '', error: null, failure: null };
  const lost = { folder: null, session: null };
  return [
    remove('agentMessages', { userId, threadId, history }),
    remove('agentNotes', { userId, threadId, history }),
    remove('agentToolCalls', { userId, agentId }),
    remove('agentAsks', { userId, threadId, agentId }),
    remove('agentCorrections', { userId, agentId }),
    remove('agentFiles', { userId, threadId, id: files }),
    ...events.filter(isOwn).map(emptyEvent),
    ...turns.flatMap((turn) => [
      update(
        'agentAgents',
        { userId, id: turn.id },
        { ...gone, runtime: turn.runtime && { ...turn.runtime, ...lost }, deletedAt: ctx.clock.now() },
      ),
      eventOf(ctx, turn, 'agent-deleted', {}),
    ]),
  ];
};
