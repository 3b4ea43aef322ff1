import { mainHistory, type Write } from '@drawbridge/agent';
import { sql, type CompiledQuery, type Kysely } from 'kysely';
import type { Dialect, Schema } from '../../db/index.ts';

const maxMessages = 500;

/** Finds threads by the words of what the person and the main agent wrote. */
export interface Search {
  /** Threads with a message that has words beginning with each of these; of the newest such messages. */
  threadsWith(userId: string, words: readonly string[]): Promise<ReadonlySet<string>>;
  /** What goes into the index beside a row that is inserted; left out where a trigger does it. */
  ofInsert?(write: Write & { type: 'insert' }): readonly CompiledQuery[];
}

/** The ids of the index are words of hexadecimal digits: migration 0020 says why. */
const hexOf = (id: string): string => Buffer.from(id).toString('hex');

/** A trigger indexes the words of each message. */
const searchSqlite = (db: Kysely<Schema>): Search => ({
  threadsWith: async (userId, words) => {
    if (words.length === 0) return new Set();
    // Words have letters and digits alone: none of them can be an operator inside its quotes.
    const wanted = words.map((word) => `"${word}"*`).join(' AND ');
    const { rows } = await sql<{ threadId: string }>`
      select "threadId" from "agentWords" where "agentWords" match ${`userId:${hexOf(userId)} AND words:(${wanted})`}
      order by rowid desc limit ${maxMessages}`.execute(db);
    return new Set(rows.map(({ threadId }) => Buffer.from(threadId, 'hex').toString()));
  },
});

/** Of each text, as SQLite's trigger cuts it; and of a message: a vector of Postgres ends at 1 MiB. */
const maxText = 32_000;
const maxWords = 200_000;
/** A word of Postgres ends at 2,046 bytes. */
const maxWord = 500;

/** A message as it is stored, or as it comes from another store. */
interface Indexed {
  history: string;
  source: string;
  parts: unknown;
}

/** Its words in lower case and without marks, each once. */
const foldedWords = (text: string): string[] => {
  const folded = text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const words = folded.slice(0, maxWords).match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, maxWord)))];
};

const isText = (part: unknown): part is { type: 'text'; text: string } =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  part.type === 'text' &&
  'text' in part &&
  typeof part.text === 'string';

/** What is indexed of a message; nothing of one that the person does not see, or that cannot be read. */
export const wordsOfMessage = ({ history, source, parts }: Indexed): string[] => {
  if (history !== mainHistory || (source !== 'person' && source !== 'model')) return [];
  const texts = Array.isArray(parts) ? parts.filter(isText) : [];
  return foldedWords(texts.map(({ text }) => text.slice(0, maxText)).join(' '));
};

/** Puts the words of a message into the index of Postgres. */
export const indexWords = (
  db: Kysely<Schema>,
  { userId, threadId, words }: { userId: string; threadId: string; words: string[] },
): CompiledQuery =>
  sql`insert into "agentWords" ("userId", "threadId", "words")
    values (${userId}, ${threadId}, array_to_tsvector(${words}::text[]))`.compile(db);

const searchPostgres = (db: Kysely<Schema>): Search => ({
  threadsWith: async (userId, words) => {
    const wanted = foldedWords(words.join(' ')).map((word) => `'${word}':*`);
    if (wanted.length === 0) return new Set();
    const { rows } = await sql<{ threadId: string }>`
      select "threadId" from "agentWords"
      where "userId" = ${userId} and "words" @@ ${wanted.join(' & ')}::tsquery
      order by "id" desc limit ${maxMessages}`.execute(db);
    return new Set(rows.map(({ threadId }) => threadId));
  },
  ofInsert: ({ table, row }) => {
    if (table !== 'agentMessages') return [];
    const words = wordsOfMessage(row);
    return words.length === 0 ? [] : [indexWords(db, { ...row, words })];
  },
});

export const searches = { sqlite: searchSqlite, postgres: searchPostgres } as const satisfies Record<
  Dialect,
  (db: Kysely<Schema>) => Search
>;
