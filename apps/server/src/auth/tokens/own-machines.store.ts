import { envGatewayUserId } from '@drawbridge/contracts/ids';
import type { Store } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { AuthTables } from '../auth-tables.ts';

/** The machines that a token or client may name: the user's own; for the owner the environment's too. */
export const createOwnMachines = ({ db }: Pick<Store, 'db'>) => {
  const own = async (userId: string, ids: readonly string[]): Promise<Set<string>> => {
    const owner = db.withTables<AuthTables>().selectFrom('user').where('ownerSlot', 'is not', null);
    const rows = await db
      .selectFrom('machines')
      .select('id')
      .where('id', 'in', [...ids])
      .where('forgottenAt', 'is', null)
      .where(({ or, and, eb, exists }) =>
        or([
          eb('userId', '=', userId),
          and([
            eb('userId', '=', envGatewayUserId),
            exists(owner.select('user.id').where('user.id', '=', userId)),
          ]),
        ]),
      )
      .execute();
    return new Set(rows.map(({ id }) => id));
  };
  return {
    /** Throws `notFound` for a machine that is not the user's, or that they have removed. */
    require: async (userId: string, ids: readonly string[]): Promise<void> => {
      const known = await own(userId, ids);
      if (!ids.every((id) => known.has(id))) throw errors.notFound();
    },
  };
};
