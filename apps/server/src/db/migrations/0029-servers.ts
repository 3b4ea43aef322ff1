import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Rows that are open, and that several servers look for; with one server these columns are null. */
const indexOpenCalls = async (db: Kysely<unknown>, name: string, columns: string[]) => {
  const named = columns[0] === 'userId' ? 'dueAt' : (columns[0] ?? '');
  await db.schema
    .createIndex(name)
    .on('calls')
    .columns(columns)
    .where(sql.ref('endedAt'), 'is', null)
    .where(sql.ref(named), 'is not', null)
    .execute();
};

const indexMachines = async (db: Kysely<unknown>, name: string, column: 'serverId' | 'graceUntil') =>
  db.schema.createIndex(name).on('machines').column(column).where(sql.ref(column), 'is not', null).execute();

/** The servers of a store, their leases, and as rows what a single server has in its timers. */
export const servers: Migration = {
  up: async (db) => {
    const { schema } = db;
    await schema
      .createTable('servers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('startedAt', 'bigint', (column) => column.notNull())
      .addColumn('seenAt', 'bigint', (column) => column.notNull())
      .addColumn('drainingAt', 'bigint')
      .execute();
    await schema
      .createTable('jobLeases')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .execute();
    const counted = ['rev', 'takings'] as const;
    for (const name of counted)
      await schema
        .alterTable('machines')
        .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    const times = ['changedAt', 'takingsSince'] as const;
    for (const name of times)
      await schema
        .alterTable('machines')
        .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    await schema.alterTable('machines').addColumn('graceUntil', 'bigint').execute();
    await schema.alterTable('calls').addColumn('makerId', 'text').execute();
    await schema.alterTable('calls').addColumn('dueAt', 'bigint').execute();
    await schema.alterTable('gatewayKeys').addColumn('seed', 'text').execute();
    await indexOpenCalls(db, 'openCallsByDue', ['dueAt']);
    await indexOpenCalls(db, 'openCallsOfMaker', ['makerId']);
    await indexOpenCalls(db, 'openCallsOfUser', ['userId', 'viaKind', 'viaId']);
    // Calls that their machines may have to be told to stop.
    await schema
      .createIndex('unansweredCalls')
      .on('calls')
      .column('endedAt')
      .where(sql.ref('answerDigest'), 'is', null)
      .where(sql.ref('dueAt'), 'is not', null)
      .execute();
    await indexMachines(db, 'machinesOfServer', 'serverId');
    await indexMachines(db, 'machinesInGrace', 'graceUntil');
    await schema.createIndex('machinesByChange').on('machines').column('changedAt').execute();
    await schema
      .createIndex('gatewayKeysRevoked')
      .on('gatewayKeys')
      .column('revokedAt')
      .where(sql.ref('revokedAt'), 'is not', null)
      .execute();
  },
};
