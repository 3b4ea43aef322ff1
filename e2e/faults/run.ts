import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@drawbridge/kit';
import { createFacts, invariants, summary, violations } from './checker/index.ts';
import { readEvidence } from './evidence.ts';
import { createPlan } from './plan.ts';
import { play, type PlayOptions } from './play.ts';
import { plantNames } from './servers/planted.ts';

const help = `Usage: pnpm faults [--minutes 2] [--seed N]... [--users 3] [--servers 1] [--without <kind>]... [--plant <guard>] [--keep] [--print] [--check <folder>]

  --minutes  how long calls, messages to the agent and faults are begun; a quiet period follows
  --seed     settles what happens and when; given several times, the runs go side by side
  --servers  1: a store in a file; more: Postgres, Redis and HAProxy, and faults of these
  --without  leave out steps of this kind: server, redis, postgres, cut, takeover, daemon, link,
             pair-again, twin, model, message, thread, rpc-send, rpc-execute, rpc-cancel, rpc-drop
  --plant    play servers that lack a guard, of a changed copy of their build: ${plantNames.join(', ')};
             the invariant that finds each of them is in the list below
  --keep     keep the folder of a run without violations too
  --print    only print the plan
  --check    only read the folder of an earlier run again

Invariants:
${invariants.map(({ name, how }) => `  ${name}: ${how}`).join('\n')}
`;

const check = async (folder: string): Promise<boolean> => {
  const facts = createFacts(await readEvidence(folder));
  const found = violations(facts);
  console.log(`\n${summary(facts, found)}`);
  if (found.length > 0) console.log(`kept in    ${folder}`);
  return found.length === 0;
};

/** Plays one seed, and gives the folder of what it left. */
const playIn = async (options: Omit<PlayOptions, 'folder'>): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), `drawbridge-faults-${options.seed}-`));
  console.log(`seed ${options.seed} in ${folder}`);
  await play({ folder, ...options });
  return folder;
};

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', multiple: true },
    users: { type: 'string', default: '3' },
    servers: { type: 'string', default: '1' },
    without: { type: 'string', multiple: true, default: [] },
    plant: { type: 'string' },
    keep: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
    check: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const seeds = values.seed?.map(Number) ?? [systemClock.now() % 1_000_000];
const { without } = values;
const users = Number(values.users);
const servers = Number(values.servers);
const plant = plantNames.find((name) => name === values.plant) ?? null;
if (values.plant !== undefined && (plant === null || servers === 1))
  throw new Error(`--plant needs several servers and one of: ${plantNames.join(', ')}`);
const forMs = Number(values.minutes) * 60_000;
if (values.help) console.log(help);
else if (values.print) {
  for (const seed of seeds)
    for (const step of createPlan({ seed, users, servers, forMs, without }))
      console.log(JSON.stringify(step));
} else {
  const given = values.check;
  const played =
    given === undefined
      ? await Promise.all(seeds.map((seed) => playIn({ seed, users, servers, forMs, without, plant })))
      : [given];
  // Only when all are over: a checker at work would hold up the proxies of the others.
  for (const folder of played) {
    const passed = await check(folder);
    if (!passed) process.exitCode = 1;
    else if (given === undefined && !values.keep) rmSync(folder, { recursive: true });
  }
}
