import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** Better-auth's tables, as far as an account is managed in them. */
type AuthTables = {
  user: {
    id: string;
    name: string;
    email: string;
    ownerSlot: string | null;
    createdAt: string;
    disabledAt: string | null;
  };
  session: { id: string; userId: string };
  account: { id: string; userId: string };
  passwordReset: { id: string; userId: string };
  apikey: { referenceId: string };
};

export type StoredPerson = AuthTables['user'];

export interface PeopleStore {
  /** By e-mail address. */
  all(): Promise<StoredPerson[]>;
  byId(userId: string): Promise<StoredPerson | undefined>;
  /** Marks the account, and deletes its sessions and links for a new password. */
  disable(userId: string, at: number): Promise<void>;
  enable(userId: string): Promise<void>;
  /** Deletes the account with its sessions, password, links and access tokens. */
  remove(userId: string): Promise<void>;
}

export const createPeopleStore = (db: Kysely<Schema>): PeopleStore => {
  const auth = db.withTables<AuthTables>();
  const columns = ['id', 'name', 'email', 'ownerSlot', 'createdAt', 'disabledAt'] as const;
  return {
    all: () => auth.selectFrom('user').select(columns).orderBy('email').execute(),
    byId: (userId) => auth.selectFrom('user').select(columns).where('id', '=', userId).executeTakeFirst(),
    disable: (userId, at) =>
      auth.transaction().execute(async (trx) => {
        const disabledAt = new Date(at).toISOString();
        await trx.updateTable('user').set({ disabledAt }).where('id', '=', userId).execute();
        for (const table of ['session', 'passwordReset'] as const)
          await trx.deleteFrom(table).where('userId', '=', userId).execute();
      }),
    enable: async (userId) => {
      await auth.updateTable('user').set({ disabledAt: null }).where('id', '=', userId).execute();
    },
    remove: (userId) =>
      auth.transaction().execute(async (trx) => {
        for (const table of ['session', 'passwordReset', 'account'] as const)
          await trx.deleteFrom(table).where('userId', '=', userId).execute();
        await trx.deleteFrom('apikey').where('referenceId', '=', userId).execute();
        await trx.deleteFrom('user').where('id', '=', userId).execute();
      }),
  };
};
