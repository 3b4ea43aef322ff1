import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFacts, summary, violations } from './checker/index.ts';
import { readEvidence } from './evidence.ts';
import { play } from './play.ts';

/** Calls and faults for this long; a quiet period follows. `pnpm faults` is for longer runs and other seeds. */
const forMs = 30_000;
const limitMs = 360_000;

it(
  'holds every invariant while calls, chats, clicks and faults come at random',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drawbridge-faults-'));
    await play({ folder, seed: 20, users: 3, servers: 1, forMs, without: [] });
    const facts = createFacts(await readEvidence(folder));
    const found = violations(facts);
    if (found.length > 0) console.log(`${summary(facts, found)}\nkept in ${folder}`);
    else rmSync(folder, { recursive: true });
    expect(found).toEqual([]);
    expect(facts.of('fault').length).toBeGreaterThan(5);
    expect(facts.ranOps.length).toBeGreaterThan(25);
    expect(facts.of('rpc-request').filter(({ outcome }) => outcome !== null).length).toBeGreaterThan(5);
    expect(new Set(facts.of('stream').map(({ link }) => link))).toEqual(new Set(['stream', 'socket']));
    expect(facts.agent.agentRuns.length).toBeGreaterThan(5);
  },
  limitMs,
);
