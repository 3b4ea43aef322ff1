import type { Person } from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Accounts } from './accounts.ts';
import { userOf } from './new-account.ts';
import type { PeopleStore, StoredPerson } from './people.store.ts';
import { timeOf } from '../readable.ts';

interface PeopleNeeds {
  clock: Clock;
  store: PeopleStore;
  /** Ends what is open with sessions that are gone. */
  checkSessions(): Promise<void>;
}

const iso = (time: string) => new Date(timeOf(time)).toISOString();

const toPerson = ({ createdAt, disabledAt, ...row }: StoredPerson): Person => ({
  ...userOf(row),
  createdAt: iso(createdAt),
  disabledAt: disabledAt === null ? null : iso(disabledAt),
});

/** The accounts of the server, as the owner manages them. Tokens, clients and machines are not ended here. */
export const createPeople = ({
  clock,
  store,
  checkSessions,
}: PeopleNeeds): Pick<Accounts, 'listPeople' | 'exists' | 'isEnabled' | 'disable' | 'enable' | 'remove'> => {
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
    listPeople: async () =>
      (await store.all()).map(toPerson).sort((a, b) => Number(b.isOwner) - Number(a.isOwner)),
    exists: async (userId) => (await store.byId(userId)) !== undefined,
    isEnabled: async (userId) => (await store.byId(userId))?.disabledAt === null,
    disable: async (userId) => {
      await requireGuest(userId);
      await store.disable(userId, clock.now());
      await checkSessions();
    },
    enable: async (userId) => {
      await find(userId);
      await store.enable(userId);
    },
    remove: async (userId) => {
      await requireGuest(userId);
      await store.remove(userId);
      await checkSessions();
    },
  };
};
