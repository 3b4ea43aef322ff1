import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { subjectOf } from '../../subject/index.ts';

/** The newest calls get a subject here; older ones keep none, and the search does not find them. */
const filledAtMost = 100_000;
const filledAtOnce = 500;

interface Row {
  requestId: string;
  arguments: string;
  subject: string | null;
}

const subjectIn = (text: string): string => {
  try {
    const args: unknown = JSON.parse(text);
    return typeof args === 'object' && args !== null ? subjectOf({ ...args }) : '';
  } catch {
    return '';
  }
};

/** Ids begin with their time, so the newest come first. */
const fill = async (db: Kysely<{ calls: Row }>) => {
  let before: string | null = null;
  for (let filled = 0; filled < filledAtMost; filled += filledAtOnce) {
    const page = db.selectFrom('calls').select(['requestId', 'arguments']).orderBy('requestId', 'desc');
    const rows: Pick<Row, 'requestId' | 'arguments'>[] = await (
      before === null ? page : page.where('requestId', '<', before)
    )
      .limit(filledAtOnce)
      .execute();
    for (const row of rows) {
      const change = { subject: subjectIn(row.arguments) };
      await db.updateTable('calls').set(change).where('requestId', '=', row.requestId).execute();
    }
    before = rows.at(-1)?.requestId ?? null;
    if (before === null) return;
  }
};

const newestFirst = ['createdAt', 'requestId'];

/** Few calls end so; a filter finds them among many others. */
const endedBadly = sql<boolean>`state in ('failed', 'denied', 'cancelled', 'timed-out', 'lost')`;

const createIndexes = async ({ schema }: Kysely<unknown>) => {
  await schema
    .createIndex('callsByFilter')
    .on('calls')
    .columns(['userId', ...newestFirst, 'machineId', 'tool', 'state', 'viaKind', 'viaId', 'subject'])
    .execute();
  await schema
    .createIndex('callsOfTool')
    .on('calls')
    .columns(['userId', 'tool', ...newestFirst])
    .execute();
  await schema
    .createIndex('callsOfMachine')
    .on('calls')
    .columns(['userId', 'machineId', ...newestFirst])
    .execute();
  await schema
    .createIndex('callsEndedBadly')
    .on('calls')
    .columns(['userId', 'state', ...newestFirst])
    .where(endedBadly)
    .execute();
  await schema.dropIndex('callsOfUser').execute();
};

/** What a call touches, and the indexes by which calls are filtered. */
export const callSubjects: Migration = {
  up: async (db) => {
    await db.schema.alterTable('calls').addColumn('subject', 'text').execute();
    await fill(db);
    await createIndexes(db);
  },
};
