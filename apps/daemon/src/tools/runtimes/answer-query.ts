import type { Mode } from '@drawbridge/contracts/groups';
import {
  runtimeTestMs,
  type RuntimeList,
  type RuntimesQuery,
  type ShownRuntime,
} from '@drawbridge/contracts/machines/runtimes';
import { cutText, systemClock, visible } from '@drawbridge/kit';
import { ownCommand } from '../../program/own-command.ts';
import type { RuntimeState } from './check.ts';
import { openRuntimes, type Runtime } from './runtimes-file.ts';

export interface AnswerNeeds {
  /** The daemon's own folder. */
  privateFolder: string;
  /** Where programs are found. */
  path: string;
  /** Of the group `runtime`. */
  mode(): Mode;
}

const maxWords = 500;
const words = (text: string) => cutText(visible(text), maxWords);

/** What keeps one that is there from being used; the command that mends it is the person's to run. */
const missingOf = ({ id, path, enabled, missing, fix }: RuntimeState, mode: Mode) => {
  if (path === null || missing !== null) return { missing, fix };
  if (!enabled) return { missing: 'not enabled', fix: ownCommand(`runtimes enable ${id}`) };
  if (mode === 'deny')
    return { missing: 'coding agents are on deny', fix: ownCommand('permissions set runtime ask') };
  return { missing: null, fix: null };
};

const toShown = (state: RuntimeState, mode: Mode): ShownRuntime => {
  const { missing, fix } = missingOf(state, mode);
  return {
    ...{ id: state.id, title: visible(state.title), version: state.version },
    ...{ isFound: state.path !== null, isEnabled: state.enabled, isSignedIn: state.signedIn },
    missing: missing === null ? null : words(missing),
    fix: fix === null ? null : words(fix),
  };
};

/**
 * Answers a server about the coding agents of this machine. It starts none that the owner has not enabled,
 * gives none a task, and enables none.
 */
export const createRuntimesAnswer = ({ privateFolder, path, mode }: AnswerNeeds) => {
  const tests = new Map<string, Promise<string | null>>();

  const test = async (id: string, runtime: Runtime): Promise<string | null> => {
    const { tryRuntime } = await import('./check.ts');
    const over = new AbortController();
    const cancel = systemClock.after(runtimeTestMs, () => over.abort(new Error('It did not start in time')));
    return tryRuntime(id, runtime, { privateFolder, signal: over.signal })
      .then(
        () => null,
        (error: unknown) => words(error instanceof Error ? error.message : 'it failed'),
      )
      .finally(cancel);
  };

  /** One at a time of each: who asks meanwhile gets the same answer. */
  const tested = async (id: string, runtime: Runtime | undefined): Promise<string | null> => {
    if (runtime === undefined) return 'It is not enabled on this machine';
    if (mode() === 'deny') return 'Coding agents are on deny on this machine';
    const running = tests.get(id) ?? test(id, runtime).finally(() => tests.delete(id));
    tests.set(id, running);
    return running;
  };

  return async (query: RuntimesQuery): Promise<RuntimeList> => {
    const file = await openRuntimes(privateFolder, systemClock);
    // A file that cannot be read is said where the tools are missing.
    const enabled = await file.read().catch((): ReadonlyMap<string, Runtime> => new Map());
    const reason =
      query.type === 'test' ? await tested(query.runtime, enabled.get(query.runtime)) : undefined;
    const { runtimeStates } = await import('./check.ts');
    const states = await runtimeStates(enabled, { path, startsAll: false });
    const runtimes = states.map((state) => toShown(state, mode()));
    if (query.type !== 'test' || reason === undefined) return { runtimes };
    return { runtimes, tested: { runtime: query.runtime, reason } };
  };
};
