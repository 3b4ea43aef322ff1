import { createSerialQueue } from '@drawbridge/kit';
import type { AgentNeeds } from '../../ports/needs.ts';
import { keyOf, type ThreadKey } from '../../rows/keys.ts';

type Needs = Pick<AgentNeeds, 'store' | 'config' | 'onError'> & {
  /** A lane that waits may acquire a slot now. */
  onSlot(lane: ThreadKey): Promise<void>;
};

export type RunSlots = ReturnType<typeof createRunSlots>;

/** Slots for runs, limited for each user and for the server. A run that waits for its person uses none. */
export const createRunSlots = ({ store, config, onSlot, onError }: Needs) => {
  const serial = createSerialQueue();
  /** The users of runs that are not stored yet. */
  const reserved: string[] = [];
  /** Lanes that wait, by their users: one lane of each user in turn. */
  const waiting = new Map<string, Map<string, ThreadKey>>();
  /** The lane that a slot is offered to. */
  let offered: string | null = null;
  let isOffering = false;
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

  /** The next lane that could run; its user is last in the next round. */
  const next = async (): Promise<ThreadKey | undefined> => {
    if (waiting.size === 0) return undefined;
    const hasSlot = await serial(count);
    for (const [userId, own] of waiting) {
      const [lane] = own.values();
      if (!lane || !hasSlot(userId)) continue;
      remove(lane);
      if (waiting.delete(userId) && own.size > 0) waiting.set(userId, own);
      return lane;
    }
    return undefined;
  };

  const offerAll = async () => {
    isOffering = true;
    try {
      while (isDue) {
        isDue = false;
        for (let lane = await next(); lane; lane = await next()) {
          offered = keyOf(lane);
          await onSlot(lane).catch(onError);
          offered = null;
        }
      }
    } finally {
      isOffering = false;
    }
  };
  /** A slot may have become free. */
  const offer = () => {
    if (waiting.size === 0) return;
    isDue = true;
    if (!isOffering) offerAll().catch(onError);
  };

  return {
    offer,
    /**
     * A slot for a run of this lane, or null: then `onSlot` is called for it later. Call the returned
     * function once the run is stored, or was not started.
     */
    acquire: (lane: ThreadKey) =>
      serial(async () => {
        const { userId } = lane;
        const hasSlot = await count();
        const isOfferedToOther = offered !== keyOf(lane) && [...waiting.keys()].some(hasSlot);
        if (isOfferedToOther || !hasSlot(userId)) {
          add(lane);
          // A slot that was released while they were counted is offered now.
          offer();
          return null;
        }
        remove(lane);
        reserved.push(userId);
        return () => {
          reserved.splice(reserved.indexOf(userId), 1);
          offer();
        };
      }),
  };
};
