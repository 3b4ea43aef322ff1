import { newMachineName } from '@drawbridge/contracts/ids';
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

interface Row {
  id: string;
  userId: string;
  hostIdentifier: string;
  daemon: string | null;
}

const instanceOf = (daemon: string | null): string | null => {
  try {
    const { instance } = JSON.parse(daemon ?? '{}') as { instance?: unknown };
    return typeof instance === 'string' ? instance : null;
  } catch {
    return null;
  }
};

const nameMachines = async (db: Kysely<{ machines: Row & { name: string; instance: string | null } }>) => {
  const taken = new Map<string, Set<string>>();
  const rows = await db
    .selectFrom('machines')
    .select(['id', 'userId', 'hostIdentifier', 'daemon'])
    .orderBy(sql.ref('createdAt'))
    .execute();
  for (const { id, userId, hostIdentifier, daemon } of rows) {
    const names = taken.get(userId) ?? new Set();
    const name = newMachineName(hostIdentifier, names);
    taken.set(userId, names.add(name));
    await db
      .updateTable('machines')
      .set({ name, instance: instanceOf(daemon) })
      .where('id', '=', id)
      .execute();
  }
};

/**
 * A person may have several machines: each gets a name, and the one that was used until now is the default.
 */
export const machineNames: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('machines')
      .addColumn('name', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema.alterTable('machines').addColumn('instance', 'text').execute();
    await db.schema.alterTable('machines').addColumn('forgottenAt', 'bigint').execute();
    await nameMachines(db);
    await db.schema
      .createIndex('machinesByName')
      .unique()
      .on('machines')
      .columns(['userId', 'name'])
      .where(sql.ref('forgottenAt'), 'is', null)
      .execute();
    await db.schema
      .createTable('userSettings')
      .addColumn('userId', 'text', (column) => column.primaryKey())
      .addColumn('defaultMachineId', 'text')
      .execute();
    await sql`insert into ${sql.table('userSettings')} (${sql.ref('userId')}, ${sql.ref('defaultMachineId')})
      select ${sql.ref('userId')}, id from machines m
      where not exists (select 1 from machines o where o.${sql.ref('userId')} = m.${sql.ref('userId')}
        and (o.${sql.ref('initAt')}, o.id) > (m.${sql.ref('initAt')}, m.id))`.execute(db);
  },
};
