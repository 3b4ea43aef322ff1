import { keptEventBytes, keptEvents, maxEventBytes } from '@drawbridge/contracts/agent/events';
import type { Write } from '@drawbridge/agent';
import { tables } from '@drawbridge/agent/rows';
import { sql, type Kysely } from 'kysely';
import { prepareQuery, type Schema, type Slot, type Write as DbWrite } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { Search } from './search.store.ts';
import type { createRowQueries } from './row-queries.store.ts';

interface EventValues {
  userId: string;
  threadId: string;
  /** JSON of the event, its length in bytes, and its time. */
  text: string;
  bytes: number;
  at: number;
}

/** Numbers an event in its transaction, adds it, and cuts the oldest: one that is undone leaves no gap. */
const eventQueries = (db: Kysely<Schema>) => {
  const threadOf = (slot: Slot<EventValues>) =>
    db.selectFrom('agentThreads').where('userId', '=', slot('userId')).where('id', '=', slot('threadId'));
  const number = prepareQuery((slot: Slot<EventValues>) =>
    db
      .updateTable('agentThreads')
      .set((column) => ({
        lastSeq: column('lastSeq', '+', 1),
        eventBytes: column('eventBytes', '+', slot('bytes')),
        updatedAt: slot('at'),
      }))
      .where('userId', '=', slot('userId'))
      .where('id', '=', slot('threadId')),
  );
  const add = prepareQuery((slot: Slot<EventValues>) =>
    db
      .insertInto('agentEvents')
      .columns(['userId', 'threadId', 'seq', 'upToBytes', 'event'])
      .expression(
        threadOf(slot).select(['userId', 'id', 'lastSeq', 'eventBytes', sql.val(slot('text')).as('event')]),
      ),
  );
  const cut = prepareQuery((slot: Slot<EventValues>) => {
    const firstInBytes = db
      .selectFrom('agentEvents')
      .where('userId', '=', slot('userId'))
      .where('threadId', '=', slot('threadId'))
      .select('seq')
      .where(
        sql<number>`"upToBytes" - octet_length("event")`,
        '>=',
        threadOf(slot).select((column) => column('eventBytes', '-', keptEventBytes).as('from')),
      )
      .orderBy('seq')
      .limit(1);
    const lastBeyond = threadOf(slot).select((of) => of('lastSeq', '-', keptEvents).as('last'));
    return db
      .deleteFrom('agentEvents')
      .where('userId', '=', slot('userId'))
      .where('threadId', '=', slot('threadId'))
      .where((column) => column.or([column('seq', '<=', lastBeyond), column('seq', '<', firstInBytes)]));
  });
  return (values: EventValues): readonly DbWrite[] => [
    { query: number(values), rows: 1 },
    add(values),
    cut(values),
  ];
};

/** Gives the queries of a write. An insert or an update that changes no row fails their transaction. */
export const createToQueries = (
  db: Kysely<Schema>,
  rows: Omit<ReturnType<typeof createRowQueries>, 'select'>,
  search: Pick<Search, 'ofInsert'>,
): ((write: Write) => readonly DbWrite[]) => {
  const ofEvent = eventQueries(db);
  return (write) => {
    switch (write.type) {
      case 'event': {
        const { userId, threadId, event } = write;
        const text = JSON.stringify(event);
        const bytes = Buffer.byteLength(text);
        if (bytes > maxEventBytes)
          throw errors.tooLarge({ message: `An event of ${bytes} bytes: ${maxEventBytes} are allowed` });
        return ofEvent({ userId, threadId, text, bytes, at: event.ts });
      }
      case 'insert':
        return [
          { query: rows.insert(write.table, write.row, 'keep'), rows: 1 },
          ...(search.ofInsert?.(write) ?? []),
        ];
      case 'put':
        return [rows.insert(write.table, write.row, tables[write.table].key)];
      case 'update':
        return [{ query: rows.update(write), rows: 'some' }];
      case 'delete':
        return [rows.remove(write.table, write.where)];
      default:
        return write satisfies never;
    }
  };
};
