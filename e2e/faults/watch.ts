import { sleep, systemClock } from '@drawbridge/kit';
import type { Person } from '../harness/index.ts';
import type { History } from './history.ts';
import { opIn } from './marks.ts';

/** Looks at a person's list of calls again and again, and notes each state that it shows. */
export interface Watch {
  /** The request that a planned call became; undefined when it does not show up in time. */
  requestOf(op: string): Promise<string | undefined>;
  /** Looks once; resolves with the open requests, or null when the list cannot be read. */
  open(): Promise<string[] | null>;
  stop(): void;
}

const everyMs = 400;
const openStates = new Set(['pending', 'delivered', 'awaiting-confirmation']);

export const createWatch = (user: number, person: Person, history: History): Watch => {
  const states = new Map<string, string>();
  const requests = new Map<string, string>();
  let stopped = false;

  const learn = async (requestId: string) => {
    const op = opIn(JSON.stringify((await person.api.calls.get.query({ requestId })).arguments));
    if (op !== undefined) requests.set(op, requestId);
  };

  const see = async ({ requestId, state }: { requestId: string; state: string }) => {
    if (states.get(requestId) === state) return;
    if (!states.has(requestId)) await learn(requestId);
    states.set(requestId, state);
    history.note({ type: 'seen', user, requestId, state });
  };

  const open = () => [...states].filter(([, state]) => openStates.has(state)).map(([id]) => id);

  const look = async (): Promise<string[]> => {
    const { calls } = await person.api.calls.list.query({ limit: 100 });
    for (const call of calls) await see(call);
    const onPage = new Set(calls.map(({ requestId }) => requestId));
    // Newer calls have pushed it off the page.
    for (const requestId of open()) {
      if (!onPage.has(requestId)) await see(await person.api.calls.get.query({ requestId }));
    }
    return open();
  };

  const lookOn = async () => {
    while (!stopped) {
      await look().catch(() => {});
      await sleep(systemClock, everyMs);
    }
  };
  void lookOn();

  return {
    requestOf: async (op) => {
      for (let tries = 0; tries < 20 && !requests.has(op); tries += 1) await sleep(systemClock, everyMs);
      return requests.get(op);
    },
    open: () => look().catch(() => null),
    stop: () => {
      stopped = true;
    },
  };
};
