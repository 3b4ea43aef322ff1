import { keptEventBytes, keptEvents, maxEventBytes } from '@drawbridge/contracts/agent/events';
import type { Write } from '@drawbridge/agent';
import { sql, type Kysely } from 'kysely';
import { agentKeys, type Schema, type Write as DbWrite } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { matches, toStoredRow, type AnyTables } from './where.store.ts';

type EventWrite = Extract<Write, { type: 'event' }>;

/** Numbers the event in its transaction: one that is undone leaves no gap. Throws `tooLarge`. */
const writesOfEvent = (db: Kysely<Schema>, { userId, threadId, event }: EventWrite): readonly DbWrite[] => {
  const text = JSON.stringify(event);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxEventBytes)
    throw errors.tooLarge({ message: `An event of ${bytes} bytes: ${maxEventBytes} are allowed` });

  const thread = db.selectFrom('agentThreads').where('userId', '=', userId).where('id', '=', threadId);
  const events = db.selectFrom('agentEvents').where('userId', '=', userId).where('threadId', '=', threadId);

  const number = db
    .updateTable('agentThreads')
    .set((column) => ({
      lastSeq: column('lastSeq', '+', 1),
      eventBytes: column('eventBytes', '+', bytes),
      updatedAt: event.ts,
    }))
    .where('userId', '=', userId)
    .where('id', '=', threadId);
  const add = db
    .insertInto('agentEvents')
    .columns(['userId', 'threadId', 'seq', 'upToBytes', 'event'])
    .expression(thread.select(['userId', 'id', 'lastSeq', 'eventBytes', sql.val(text).as('event')]));
  const firstInBytes = events
    .select('seq')
    .where(
      sql<number>`"upToBytes" - octet_length("event")`,
      '>=',
      thread.select((column) => column('eventBytes', '-', keptEventBytes).as('from')),
    )
    .orderBy('seq')
    .limit(1);
  const cut = db
    .deleteFrom('agentEvents')
    .where('userId', '=', userId)
    .where('threadId', '=', threadId)
    .where((column) =>
      column.or([
        column(
          'seq',
          '<=',
          thread.select((of) => of('lastSeq', '-', keptEvents).as('last')),
        ),
        column('seq', '<', firstInBytes),
      ]),
    );
  return [{ query: number.compile(), rows: 1 }, add.compile(), cut.compile()];
};

/** The queries of one write. An insert or an update that changes no row fails their transaction. */
export const toQueries = (db: Kysely<Schema>, write: Write): readonly DbWrite[] => {
  if (write.type === 'event') return writesOfEvent(db, write);
  const tables = db.withTables<AnyTables>();
  const table: string = write.table;
  switch (write.type) {
    case 'insert': {
      const add = tables.insertInto(table).values(toStoredRow(write.row));
      return [{ query: add.onConflict((conflict) => conflict.doNothing()).compile(), rows: 1 }];
    }
    case 'put': {
      const row = toStoredRow(write.row);
      const key = [...agentKeys[write.table]];
      const add = tables.insertInto(table).values(row);
      return [add.onConflict((conflict) => conflict.columns(key).doUpdateSet(row)).compile()];
    }
    case 'update': {
      const added = Object.entries(write.add ?? {}).map(([column, value]) => [
        column,
        sql<number>`coalesce(${sql.ref(column)}, 0) + ${value}`,
      ]);
      const change = tables
        .updateTable(table)
        .set({ ...toStoredRow(write.set), ...Object.fromEntries(added) });
      return [{ query: change.where(matches(write.where)).compile(), rows: 'some' }];
    }
    case 'delete':
      return [tables.deleteFrom(table).where(matches(write.where)).compile()];
    default:
      return write satisfies never;
  }
};
