import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const machines = async (db: Kysely<unknown>) => {
  await db.schema
    .createTable('toolLists')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('tools', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('machines')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('hostIdentifier', 'text', (column) => column.notNull())
    .addColumn('rootPath', 'text', (column) => column.notNull())
    .addColumn('toolsDigest', 'text', (column) => column.notNull().references('toolLists.digest'))
    .addColumn('categories', 'text', (column) => column.notNull())
    .addColumn('daemon', 'text')
    .addColumn('epoch', 'integer', (column) => column.notNull())
    .addColumn('connectedAt', 'bigint')
    .addColumn('initAt', 'bigint', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('machinesOfUser').on('machines').columns(['userId', 'initAt']).execute();
  await db.schema.createIndex('machinesWithTools').on('machines').column('toolsDigest').execute();
};

const keys = async (db: Kysely<unknown>) => {
  await db.schema
    .createTable('gatewayKeys')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('machineId', 'text', (column) => column.references('machines.id'))
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint')
    .addColumn('lastUsedAt', 'bigint')
    .addColumn('usedAt', 'bigint')
    .addColumn('revokedAt', 'bigint')
    .execute();
  await db.schema.createIndex('gatewayKeysOfUser').on('gatewayKeys').columns(['userId', 'kind']).execute();
};

const calls = async (db: Kysely<unknown>) => {
  await db.schema
    .createTable('calls')
    .addColumn('requestId', 'text', (column) => column.primaryKey())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('machineId', 'text', (column) => column.notNull().references('machines.id'))
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('door', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('started', 'integer')
    .addColumn('decision', 'text')
    .addColumn('decidedBy', 'text')
    .addColumn('confirmationId', 'text')
    .addColumn('answerDigest', 'text')
    .addColumn('endsAt', 'bigint', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('deliveredAt', 'bigint')
    .addColumn('endedAt', 'bigint')
    .addColumn('arguments', 'text', (column) => column.notNull())
    .addColumn('result', 'text')
    .execute();
  const newestFirst = ['userId', 'createdAt', 'requestId'];
  await db.schema.createIndex('callsOfUser').on('calls').columns(newestFirst).execute();
  await db.schema
    .createIndex('openCalls')
    .on('calls')
    .column('createdAt')
    .where(sql.ref('endedAt'), 'is', null)
    .execute();
};

const confirmations = async (db: Kysely<unknown>) => {
  await db.schema
    .createTable('confirmations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('requestId', 'text', (column) => column.notNull().references('calls.requestId'))
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('machineId', 'text', (column) => column.notNull().references('machines.id'))
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('questionDigest', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('approved', 'integer')
    .addColumn('decision', 'text')
    .addColumn('decidedBy', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .addColumn('decidedAt', 'bigint')
    .execute();
  await db.schema.createIndex('confirmationsOfCall').on('confirmations').column('requestId').execute();
  await db.schema
    .createIndex('confirmationsOfUser')
    .on('confirmations')
    .columns(['userId', 'state'])
    .execute();
};

const switches = (db: Kysely<unknown>) =>
  db.schema
    .createTable('gatewaySwitches')
    .addColumn('scope', 'text', (column) => column.primaryKey())
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .execute();

/** Machines, keys, calls, confirmations and switches. */
export const gatewayTables: Migration = {
  up: async (db) => {
    await machines(db);
    await keys(db);
    await calls(db);
    await confirmations(db);
    await switches(db);
  },
};
