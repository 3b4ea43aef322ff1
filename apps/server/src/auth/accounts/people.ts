import type { Person } from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Time } from '../auth-tables.ts';
import { userOf } from '../better-auth.ts';
import { timeOf } from '../readable.ts';
import type { PeopleStore, StoredPerson } from './people.store.ts';

/** The accounts of the server, with all that they have given out. Ids that name no account: `notFound`. */
export interface People {
  list(): Promise<Person[]>;
  /** Ends a user's access tokens, clients and machines; sessions stay. */
  endGrants(userId: string): Promise<void>;
  /** Blocks signing in; ends sessions, tokens, clients and machines. `forbidden` for the owner's account. */
  disable(userId: string): Promise<void>;
  enable(userId: string): Promise<void>;
  /** Disables and deletes the account, its machines and its calls. `forbidden` for the owner's account. */
  remove(userId: string): Promise<void>;
}

interface PeopleNeeds {
  clock: Clock;
  store: PeopleStore;
  /** Ends what is open with sessions that are gone. */
  checkSessions(): Promise<void>;
}

const iso = (time: Time) => new Date(timeOf(time)).toISOString();

const toPerson = ({ createdAt, disabledAt, ...row }: StoredPerson): Person => ({
  ...userOf(row),
  createdAt: iso(createdAt),
  disabledAt: disabledAt === null ? null : iso(disabledAt),
});

/** The accounts of the server, as the owner manages them. Tokens, clients and machines are not ended here. */
export const createPeople = ({ clock, store, checkSessions }: PeopleNeeds) => {
  const find = async (userId: string): Promise<Person> => {
    const row = await store.byId(userId);
    if (!row) throw errors.notFound({ message: 'There is no such account' });
    return toPerson(row);
  };
  const requireGuest = async (userId: string) => {
    if ((await find(userId)).isOwner)
      throw errors.forbidden({ message: "The owner's account can be neither disabled nor removed" });
  };

  return {
    /** Everybody who has an account, the owner first, then by e-mail address. */
    listPeople: async () =>
      (await store.all()).map(toPerson).sort((a, b) => Number(b.isOwner) - Number(a.isOwner)),
    /** Whether there is an account of that id, disabled or not. */
    exists: async (userId: string) => (await store.byId(userId)) !== undefined,
    /** Whether there is an account of that id that is not disabled. */
    isEnabled: async (userId: string) => (await store.byId(userId))?.disabledAt === null,
    /** Blocks signing in and ends all sessions. Throws `notFound`, `forbidden` for the owner's account. */
    disable: async (userId: string) => {
      await requireGuest(userId);
      await store.disable(userId, clock.now());
      await checkSessions();
    },
    /** Throws `notFound`. */
    enable: async (userId: string) => {
      await find(userId);
      await store.enable(userId);
    },
    /** Deletes the account with its sessions. Throws `notFound`, `forbidden` for the owner's. */
    remove: async (userId: string) => {
      await requireGuest(userId);
      await store.remove(userId);
      await checkSessions();
    },
  };
};
