import { sql, type Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

const maxMessages = 500;

/** The ids of the index are words of hexadecimal digits: migration 0020 says why. */
const hexOf = (id: string): string => Buffer.from(id).toString('hex');

/** Threads with a message that has all words, each the beginning of one; of the newest messages that have. */
export const threadsWith = async (
  db: Kysely<Schema>,
  userId: string,
  words: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (words.length === 0) return new Set();
  // Words have letters and digits alone: none of them can be an operator inside its quotes.
  const wanted = words.map((word) => `"${word}"*`).join(' AND ');
  const { rows } = await sql<{ threadId: string }>`
    select "threadId" from "agentWords" where "agentWords" match ${`userId:${hexOf(userId)} AND words:(${wanted})`}
    order by rowid desc limit ${maxMessages}`.execute(db);
  return new Set(rows.map(({ threadId }) => Buffer.from(threadId, 'hex').toString()));
};
