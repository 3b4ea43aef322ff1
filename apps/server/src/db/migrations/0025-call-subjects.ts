import type { Kysely, Migration } from 'kysely';
import { subjectOf } from '../../call-subject.ts';

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

/** What a call touches, and one index that has all that calls are filtered by. */
export const callSubjects: Migration = {
  up: async (db) => {
    await db.schema.alterTable('calls').addColumn('subject', 'text').execute();
    await fill(db);
    await db.schema
      .createIndex('callsByFilter')
      .on('calls')
      .columns([
        'userId',
        'createdAt',
        'requestId',
        'machineId',
        'tool',
        'state',
        'viaKind',
        'viaId',
        'subject',
      ])
      .execute();
    await db.schema.dropIndex('callsOfUser').execute();
  },
};
