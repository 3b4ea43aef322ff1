import { createSerialQueue } from '@drawbridge/kit';
import type { AgentNeeds } from '../../ports/needs.ts';
import { keyOf, type ThreadKey } from '../../rows/keys.ts';

type Needs = Pick<AgentNeeds, 'store' | 'config' | 'onError'> & {
  /** A lane may try again to take a place. */
  grant(lane: ThreadKey): Promise<void>;
};

export type Places = ReturnType<typeof createPlaces>;

/** Places for runs: a number of a user and of the server. A run that waits for its person uses no place. */
export const createPlaces = ({ store, config, grant, onError }: Needs) => {
  const serial = createSerialQueue();
  /** Places of runs that are not stored yet. */
  const reserved: string[] = [];
  /** Lanes that wait, by their users: one lane of each user in turn. */
  const waiting = new Map<string, Map<string, ThreadKey>>();
  /** The lane whose turn it is. */
  let granted: string | null = null;
  let isGranting = false;
  let isDue = false;

  const count = async () => {
    const { maxRuns, maxRunsPerUser } = await config();
    const open = await store.findOfAll('agentRuns', { state: 'active' });
    const users = [...open.map(({ userId }) => userId), ...reserved];
    return (userId: string) =>
      users.length < maxRuns && users.filter((one) => one === userId).length < maxRunsPerUser;
  };

  const remove = (lane: ThreadKey) => {
    const own = waiting.get(lane.userId);
    own?.delete(keyOf(lane));
    if (own?.size === 0) waiting.delete(lane.userId);
  };
  const add = (lane: ThreadKey) => {
    const own = waiting.get(lane.userId) ?? new Map<string, ThreadKey>();
    if (!own.has(keyOf(lane))) own.set(keyOf(lane), lane);
    waiting.set(lane.userId, own);
  };

  /** The next lane that could run; its user goes to the end of the row. */
  const next = async (): Promise<ThreadKey | undefined> => {
    if (waiting.size === 0) return undefined;
    const hasPlace = await serial(count);
    for (const [userId, own] of waiting) {
      const [lane] = own.values();
      if (!lane || !hasPlace(userId)) continue;
      remove(lane);
      if (waiting.delete(userId) && own.size > 0) waiting.set(userId, own);
      return lane;
    }
    return undefined;
  };

  const grantAll = async () => {
    isGranting = true;
    try {
      while (isDue) {
        isDue = false;
        for (let lane = await next(); lane; lane = await next()) {
          granted = keyOf(lane);
          await grant(lane).catch(onError);
          granted = null;
        }
      }
    } finally {
      isGranting = false;
    }
  };
  /** A place may have become free. */
  const freed = () => {
    if (waiting.size === 0) return;
    isDue = true;
    if (!isGranting) grantAll().catch(onError);
  };

  return {
    freed,
    /**
     * A place for a run of this lane, or null: then `grant` is called for it later. Call the returned
     * function once the run is stored, or was not started.
     */
    take: (lane: ThreadKey) =>
      serial(async () => {
        const { userId } = lane;
        const hasPlace = await count();
        const isAnothersTurn = granted !== keyOf(lane) && [...waiting.keys()].some(hasPlace);
        if (isAnothersTurn || !hasPlace(userId)) {
          add(lane);
          // A place that became free while it was counted is granted now.
          freed();
          return null;
        }
        remove(lane);
        reserved.push(userId);
        return () => {
          reserved.splice(reserved.indexOf(userId), 1);
          freed();
        };
      }),
  };
};
