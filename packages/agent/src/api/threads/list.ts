import type { ThreadPage } from '@drawbridge/contracts/agent/threads';
import { errors } from '../../rows/errors.ts';
import type { ThreadRow } from '../../rows/rows.ts';
import type { AgentStore } from '../../rows/store.ts';
import { countWaiting, toThreads } from './status.ts';

/** `updatedAt` and id of the last thread of a page. */
const cursorText = /^(\d{1,16})\.([A-Za-z0-9_-]{1,64})$/;

const readCursor = (cursor: string): { updatedAt: number; id: string } => {
  const [, updatedAt, id] = cursorText.exec(cursor) ?? [];
  if (updatedAt === undefined || id === undefined)
    throw errors.badRequest({ message: 'The cursor is not valid' });
  return { updatedAt: Number(updatedAt), id };
};

const readAtOnce = 200;

/** Of a person, or of one of their clients. */
interface Owners {
  userId: string;
  owner: string | null;
}

/** Rows of a user, the last used first, from behind the cursor on. */
async function* newestFirst(store: AgentStore, { userId, owner }: Owners, cursor: string | undefined) {
  let last = cursor === undefined ? null : readCursor(cursor);
  for (;;) {
    const rows: ThreadRow[] = await store.find(
      'agentThreads',
      { userId, ...(owner !== null && { owner }) },
      {
        orderBy: 'updatedAt',
        descending: true,
        isLenient: true,
        limit: readAtOnce,
        ...(last && { after: last.updatedAt + 1 }),
      },
    );
    const behind = rows.filter(
      ({ updatedAt, id }) =>
        !last || updatedAt < last.updatedAt || (updatedAt === last.updatedAt && id < last.id),
    );
    yield* behind;
    last = behind.at(-1) ?? null;
    if (last === null) return;
  }
}

const maxWords = 8;

/** Letters and digits of the query, as the store finds them in messages. */
const wordsOf = (query: string): string[] => (query.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, maxWords);

export interface ListInput {
  query?: string;
  cursor?: string;
  limit: number;
}

/**
 * A page of threads whose title contains the query, or a message of which has its words. Throws `badRequest`
 * for a cursor of no page.
 */
export const listThreads = async (
  { store }: { store: AgentStore },
  { userId, owner }: Owners,
  { query = '', cursor, limit }: ListInput,
): Promise<ThreadPage> => {
  const wanted = query.trim().toLowerCase();
  const withWords = wanted === '' ? new Set() : await store.threadsWith(userId, wordsOf(wanted));
  const found: ThreadRow[] = [];
  for await (const row of newestFirst(store, { userId, owner }, cursor)) {
    if (!row.title.toLowerCase().includes(wanted) && !withWords.has(row.id)) continue;
    found.push(row);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    threads: await toThreads({ store }, userId, page),
    waiting: await countWaiting({ store }, userId, owner),
    nextCursor: last && found.length > limit ? `${last.updatedAt}.${last.id}` : null,
  };
};
