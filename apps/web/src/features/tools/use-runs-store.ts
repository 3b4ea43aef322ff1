import { callIdPrefixOf } from '@drawbridge/contracts/calls';
import { defineStore } from 'pinia';
import { effectScope, type EffectScope } from 'vue';
import { randomId, useApi, useClock } from '../../api/index.ts';
import { useCallsStore } from '../calls/use-calls-store.ts';
import { useSessionStore } from '../session/use-session-store.ts';
import { createRun, type Run } from './create-run.ts';

/** How many runs are kept for a return to their page; older ones are dropped after their end. */
const kept = 10;

/** The last run of each tool from the form. */
export const useRunsStore = defineStore('runs', () => {
  const api = useApi();
  const clock = useClock();
  const session = useSessionStore();
  const store = useCallsStore();
  const newId = () => callIdPrefixOf(clock.now(), session.user?.id ?? '') + randomId();
  const all = effectScope();
  const runs = new Map<string, { run: Run; scope: EffectScope }>();

  const create = (machineId: string, tool: string) =>
    all.run(() => {
      const scope = effectScope();
      const run = scope.run(() => createRun({ api, store, newId, tool, machineId }));
      return run ? { run, scope } : undefined;
    });

  const trim = () => {
    for (const [key, { run, scope }] of runs) {
      if (runs.size <= kept) return;
      if (run.busy.value) continue;
      run.stop();
      scope.stop();
      runs.delete(key);
    }
  };

  /** The latest run of a tool of a machine, or a new idle one. */
  const of = (machineId: string, tool: string): Run => {
    const key = `${machineId} ${tool}`;
    const entry = runs.get(key) ?? create(machineId, tool);
    if (entry === undefined) throw new Error('The store has ended');
    runs.delete(key);
    runs.set(key, entry);
    trim();
    return entry.run;
  };

  return { of };
});
