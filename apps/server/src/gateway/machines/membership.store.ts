import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** What distinguishes a machine of a person from their others. */
export interface NamedMachine {
  id: string;
  name: string;
  pausedAt: number | null;
}

/** Which machines a user has. */
export interface Membership {
  /** Those that are not forgotten, oldest first. */
  machines: readonly NamedMachine[];
  /** The one that the user has chosen as the default; null for none. */
  defaultId: string | null;
}

/** Makes a machine the one that is meant where its person names none. */
export const saveDefault = async (db: Kysely<Schema>, userId: string, id: string): Promise<void> => {
  await db
    .insertInto('userSettings')
    .values({ userId, defaultMachineId: id })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ defaultMachineId: id }))
    .execute();
};

/** The machines of a user that are not forgotten, oldest first. */
export const namesOf = (db: Kysely<Schema>, userId: string) =>
  db
    .selectFrom('machines')
    .select(['id', 'name', 'pausedAt'])
    .where('userId', '=', userId)
    .where('forgottenAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();

export const readMembership = async (db: Kysely<Schema>, userId: string): Promise<Membership> => {
  const row = await db
    .selectFrom('userSettings')
    .select('defaultMachineId')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return { machines: await namesOf(db, userId), defaultId: row?.defaultMachineId ?? null };
};
