import { expect, it } from 'vitest';
import { modelFaults, works } from './agent/plan.ts';
import { rpcWorks } from './rpc/plan.ts';
import { createPlan } from './plan.ts';

const options = { seed: 7, users: 3, servers: 1, forMs: 600_000, without: [] };

it('gives the same plan for the same seed, and another one for another', () => {
  expect(createPlan(options)).toEqual(createPlan(options));
  expect(createPlan(options)).not.toEqual(createPlan({ ...options, seed: 8 }));
});

it('leaves out exactly the given faults', () => {
  const without = createPlan({ ...options, without: ['twin', 'server'] });
  const rest = createPlan(options).filter(({ kind }) => kind !== 'twin' && kind !== 'server');
  expect(without).toEqual(rest);
});

it('is in order of time, ends in time, and gives each call a name of its own', () => {
  const plan = createPlan({ ...options, servers: 3 });
  const times = plan.map((step) => step.atMs);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times.at(-1)).toBeLessThan(options.forMs);
  const ops = plan.flatMap((step) => {
    if ('ops' in step) return step.ops;
    return step.kind === 'call' || step.kind === 'rpc-execute' ? [step.op] : [];
  });
  expect(new Set(ops).size).toBe(ops.length);
});

it('has every kind of step, fault and answer in it', () => {
  const kinds = createPlan(options).map((step) => {
    if (step.kind === 'call') return `${step.tool} ${step.answer}`;
    if (step.kind === 'message') return `message ${step.work}`;
    if (step.kind === 'rpc-send') return `rpc-send ${step.work}`;
    if (step.kind === 'thread') return `thread ${step.act}`;
    return 'fault' in step ? `${step.kind} ${step.fault}` : step.kind;
  });
  const faults = new Set(kinds.filter((kind) => !/^(shell|edit|read|process|network) /.test(kind)));
  expect([...faults].toSorted()).toEqual([
    'daemon kill',
    'daemon stop',
    'link cut',
    'link delay',
    'link hold-down',
    'link hold-up',
    'link lose-down',
    'link lose-up',
    'link refuse',
    'link repeat',
    'link truncate-down',
    'link truncate-up',
    ...works.map((work) => `message ${work}`).toSorted(),
    'model cut',
    'model fails',
    'pair-again',
    'rpc-cancel',
    'rpc-drop',
    'rpc-execute',
    ...rpcWorks.map((work) => `rpc-send ${work}`).toSorted(),
    'server kill',
    'server stop',
    'thread continue',
    'thread resume',
    'thread stop',
    'twin',
  ]);
  expect(new Set(kinds).size - faults.size).toBe(30);
});

it('with several servers has faults of each, of Redis and of Postgres', () => {
  const servers = 3;
  const shared = /^(server|cut|redis|postgres|takeover)$/;
  const plan = createPlan({ ...options, servers });
  const named = plan.flatMap(({ kind, ...step }) =>
    shared.test(kind) && 'fault' in step ? [`${kind} ${step.fault}`] : [],
  );
  expect([...new Set(named)].toSorted()).toEqual([
    ...['cut postgres', 'cut redis', 'postgres crash', 'postgres stop', 'redis kill', 'redis stop'],
    ...['server drain', 'server kill', 'server stop', 'takeover streams', 'takeover threads'],
  ]);
  expect(new Set(plan.flatMap((step) => ('server' in step ? [step.server] : [])))).toEqual(
    new Set([0, 1, 2]),
  );
  // All else is the same.
  const isOther = ({ kind }: { kind: string }) => !shared.test(kind);
  expect(plan.filter(isOther)).toEqual(createPlan(options).filter(isOther));
});

it('spoils the first model call of messages in every way', () => {
  const spoiled = createPlan(options).flatMap((step) => (step.kind === 'message' ? [step.model] : []));
  expect(new Set(spoiled)).toEqual(new Set([null, ...modelFaults]));
});
