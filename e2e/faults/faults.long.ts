import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../services.ts';
import { createFacts, summary, violations } from './checker/index.ts';
import { readEvidence } from './evidence.ts';
import { play } from './play.ts';

/** Calls and faults for this long; a quiet period follows. `pnpm faults` is for longer runs and other seeds. */
const forMs = 60_000;
const limitMs = 360_000;

/** Plays a seed, and checks that enough has happened. */
const hold = async (seed: number, servers: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-faults-'));
  await play({ folder, seed, users: 3, servers, forMs, without: [] });
  const facts = createFacts(await readEvidence(folder));
  const found = violations(facts);
  if (found.length > 0) console.log(`${summary(facts, found)}\nkept in ${folder}`);
  else rmSync(folder, { recursive: true });
  expect(found).toEqual([]);
  expect(facts.of('fault').length).toBeGreaterThan(10);
  expect(facts.ranOps.length).toBeGreaterThan(50);
  expect(facts.of('rpc-request').filter(({ outcome }) => outcome !== null).length).toBeGreaterThan(10);
  expect(new Set(facts.of('stream').map(({ link }) => link))).toEqual(new Set(['stream', 'socket']));
  expect(facts.agent.agentRuns.length).toBeGreaterThan(20);
};

it('holds every invariant while calls, chats, clicks and faults come at random', () => hold(20, 1), limitMs);

describeWith(
  'postgresql',
  'redis',
  'haproxy',
)('three servers', () => {
  it('hold every invariant, also while Redis and Postgres fail', () => hold(21, 3), limitMs);
});
