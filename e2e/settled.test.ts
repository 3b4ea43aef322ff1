import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProcesses, ended, run, startMachine, type Daemon, type Person } from './harness/index.ts';

const processes = createProcesses();
let ann: Person;
let daemon: Daemon;

beforeAll(async () => {
  ({ ann, daemon } = await startMachine(processes));
});

afterAll(() => processes.stopAll());

it('CF-27 20 open questions are settled by one lasting answer', async () => {
  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, at) => run(ann, 'write_file', { filePath: `${at}.txt`, content: 'x' })),
  );
  const questions = await ann.api.confirmations.list.query();
  expect(questions).toHaveLength(20);
  const [first] = questions;
  await ann.api.confirmations.decide.mutate({
    confirmationId: first?.id ?? '',
    approved: true,
    resourceDecision: 'allowForSession',
    reach: first?.reaches.find(({ scope, durationMs }) => scope === 'folder' && !durationMs)?.id,
  });
  const calls = await Promise.all(asked.map(({ requestId }) => ended(ann, requestId)));
  expect(new Set(calls.map(({ state }) => state))).toEqual(new Set(['succeeded']));
  expect(readdirSync(daemon.root)).toHaveLength(20);
  expect(await ann.api.confirmations.list.query()).toEqual([]);
  const decisions = calls.map(({ decision, decidedBy }) => `${decision} ${decidedBy !== null}`);
  expect(decisions.toSorted()).toEqual(['allowForSession true', ...Array(19).fill('allowOnce true')]);
  await daemon.process.says(/also settled 19 other questions/);
});
