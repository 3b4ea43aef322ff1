import type { WithId } from './foreign-ids.ts';
import { procedureWithId } from './procedures.ts';

const forMachine = (name: string, more: object = {}) =>
  procedureWithId(name, 'machine', (machineId) => ({ machineId, ...more }));

/** The procedures that take a machine, each with an input that a person's own machine takes. */
export const machineRows: Record<string, WithId> = {
  'rules.tighten': forMachine('rules.tighten', { toolGroup: 'shell', mode: 'deny' }),
  'rules.list': forMachine('rules.list'),
  'processes.list': forMachine('processes.list'),
  'machines.runtimes': forMachine('machines.runtimes'),
  'machines.testRuntime': forMachine('machines.testRuntime', { runtime: 'gemini' }),
  'processes.stop': forMachine('processes.stop', { process: 'p1-k2f9xa' }),
  'processes.open': forMachine('processes.open', { process: 'p1-k2f9xa', port: 5173 }),
  // The last two leave no machine to try others with.
  ...Object.fromEntries(
    ['tools', 'link', 'rename', 'setDefault', 'pause', 'resume', 'disconnect', 'forget'].map((verb) => {
      const name = `machines.${verb}`;
      return [name, forMachine(name, verb === 'rename' ? { name: 'attic' } : {})];
    }),
  ),
};
