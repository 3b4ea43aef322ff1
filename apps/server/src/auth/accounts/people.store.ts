import type { Transaction } from 'kysely';
import type { Store } from '../../db/index.ts';
import type { AuthTables } from '../auth-tables.ts';

export type StoredPerson = AuthTables['user'];

export const createPeopleStore = ({ db, changeRights }: Store) => {
  const auth = db.withTables<AuthTables>();
  const inRights = <Result>(write: (trx: Transaction<AuthTables>) => Promise<Result>) =>
    changeRights(() => auth.transaction().execute(write));
  const columns = ['id', 'name', 'email', 'ownerSlot', 'createdAt', 'disabledAt'] as const;
  return {
    /** By e-mail address. */
    all: (): Promise<StoredPerson[]> => auth.selectFrom('user').select(columns).orderBy('email').execute(),
    byId: (userId: string): Promise<StoredPerson | undefined> =>
      auth.selectFrom('user').select(columns).where('id', '=', userId).executeTakeFirst(),
    /** Marks the account, and deletes its sessions and links for a new password. */
    disable: (userId: string, at: number) =>
      inRights(async (trx) => {
        const disabledAt = new Date(at).toISOString();
        await trx.updateTable('user').set({ disabledAt }).where('id', '=', userId).execute();
        for (const table of ['session', 'passwordReset'] as const)
          await trx.deleteFrom(table).where('userId', '=', userId).execute();
      }),
    enable: (userId: string) =>
      inRights((trx) => trx.updateTable('user').set({ disabledAt: null }).where('id', '=', userId).execute()),
    /** Deletes the account with its sessions, password, links and access tokens. */
    remove: (userId: string) =>
      inRights(async (trx) => {
        for (const table of ['session', 'passwordReset', 'account'] as const)
          await trx.deleteFrom(table).where('userId', '=', userId).execute();
        await trx.deleteFrom('apikey').where('referenceId', '=', userId).execute();
        await trx.deleteFrom('user').where('id', '=', userId).execute();
      }),
  };
};

export type PeopleStore = ReturnType<typeof createPeopleStore>;
