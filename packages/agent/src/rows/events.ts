import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { Clock } from '@drawbridge/kit';
import type { AgentRow, RunRow } from './rows.ts';
import type { Write } from './store.ts';

type Payload<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>['payload'];
type Source = Pick<AgentRow, 'userId' | 'threadId' | 'runId'> & { id: string | null };

/** An event of an agent, to be stored. */
export const eventOf = <Type extends StoredEvent['type']>(
  { clock }: { clock: Clock },
  { userId, threadId, runId, id }: Source,
  type: Type,
  payload: Payload<Type>,
): Write => ({
  type: 'event',
  userId,
  threadId,
  // The payload belongs to its type, which a union cannot express.
  event: { type, runId, agentId: id, ts: clock.now(), payload } as StoredEvent,
});

/** An event of a run, without an agent. */
export const runEventOf = <Type extends StoredEvent['type']>(
  needs: { clock: Clock },
  { userId, threadId, id }: Pick<RunRow, 'userId' | 'threadId' | 'id'>,
  type: Type,
  payload: Payload<Type>,
): Write => eventOf(needs, { userId, threadId, runId: id, id: null }, type, payload);
