import type { Kysely } from 'kysely';
import type { Schema } from '../../../db/index.ts';
import type { CallHead } from '../call.ts';
import { headColumns, readHead } from './call-row.ts';

/** The calls of the same machine before and after one, by an index; null if that one is unknown. */
export const readAround = async (
  db: Kysely<Schema>,
  userId: string,
  requestId: string,
): Promise<{ before: CallHead | null; after: CallHead | null } | null> => {
  const own = await db
    .selectFrom('calls')
    .select(['machineId', 'createdAt'])
    .where('userId', '=', userId)
    .where('requestId', '=', requestId)
    .executeTakeFirst();
  if (own === undefined) return null;
  const next = async (way: 'before' | 'after') => {
    const [sign, order] = way === 'before' ? (['<', 'desc'] as const) : (['>', 'asc'] as const);
    const row = await db
      .selectFrom('calls')
      .select(headColumns)
      .where('userId', '=', userId)
      .where('machineId', '=', own.machineId)
      .where('createdAt', `${sign}=`, own.createdAt)
      .where((where) =>
        where.or([where('createdAt', sign, own.createdAt), where('requestId', sign, requestId)]),
      )
      .orderBy('createdAt', order)
      .orderBy('requestId', order)
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : readHead(row);
  };
  return { before: await next('before'), after: await next('after') };
};
