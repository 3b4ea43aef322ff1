import { sleep, systemClock } from '@drawbridge/kit';
import { textOf, type Person } from '../harness/index.ts';
import { createClicks, type PlannedClicks } from './clicks.ts';
import { followProcess } from './commands/follow-process.ts';
import { codeOf } from './code-of.ts';
import type { History } from './history.ts';
import { toolCallOf } from './marks.ts';
import type { PlannedCall } from './plan.ts';
import { createWatch } from './watch.ts';

/** A person with a panel: makes calls, clicks on questions, cancels, and looks at the list all the time. */
export interface User {
  index: number;
  person: Person;
  /**
   * Makes a call, with whatever the plan has for it, from another place where one is given; resolves when its
   * caller has heard or left.
   */
  call(planned: PlannedCall, from?: Person): Promise<void>;
  /** Answers questions about an op that another one makes. */
  click(planned: PlannedClicks): void;
  /** From now on every question is answered, also those that were to stay open. */
  answerAll(): void;
  /** Requests that the list shows as open; null when the list cannot be read. */
  open(): Promise<string[] | null>;
  /** One call that needs no machine but this one, for when all is quiet: the state that it came back in. */
  lastCall(): Promise<string>;
  stop(): void;
}

export interface UserNeeds {
  index: number;
  person: Person;
  history: History;
  /** Of this machine, for commands with network. */
  sitePort: number;
}

export const createUser = ({ index, person, history, sitePort }: UserNeeds): User => {
  const watch = createWatch(index, person, history);
  const clicks = createClicks(person, history);

  const cancel = async (planned: PlannedCall, afterMs: number) => {
    await sleep(systemClock, afterMs);
    const requestId = await watch.requestOf(planned.op);
    if (requestId === undefined) return;
    const once = async () => {
      const { state, started } = await person.api.calls.cancel.mutate({ requestId });
      history.note({ type: 'cancelled', requestId, state, started });
    };
    await Promise.allSettled([once(), once()]);
  };

  const run = async (planned: PlannedCall, signal: AbortSignal, from: Person) => {
    const { op, tool } = planned;
    history.note({ type: 'asked', op, user: index, tool });
    try {
      const call = await from.api.calls.run.mutate(toolCallOf(planned, sitePort), { signal });
      const { requestId, state } = call;
      history.note({ type: 'answered', op, requestId, state, result: textOf(call) ?? null });
      if (tool === 'process') void followProcess({ person, history }, op, textOf(call));
    } catch (error) {
      history.note({ type: 'refused', op, code: codeOf(error) });
    }
  };

  return {
    index,
    person,
    call: async (planned, from = person) => {
      clicks.plan(planned);
      const abort = new AbortController();
      const { cancelAfterMs, leaveAfterMs } = planned;
      const stay = leaveAfterMs === null ? () => {} : systemClock.after(leaveAfterMs, () => abort.abort());
      await Promise.all([
        run(planned, abort.signal, from).finally(stay),
        cancelAfterMs === null ? undefined : cancel(planned, cancelAfterMs),
      ]);
    },
    click: clicks.plan,
    answerAll: clicks.answerAll,
    open: watch.open,
    lastCall: async () => {
      try {
        return (await person.api.calls.run.mutate({ name: 'list_files', arguments: { dirPath: '.' } })).state;
      } catch (error) {
        return codeOf(error);
      }
    },
    stop: () => {
      watch.stop();
      clicks.stop();
    },
  };
};
