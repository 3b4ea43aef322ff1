import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCodingWorld, type CodingWorld } from '../agent/coding-world.ts';
import { threadOf } from '../agent/thread.ts';
import { createProcesses, until } from '../harness/index.ts';
import { describeWith } from '../services.ts';

const mebibyte = 1024 * 1024;
/** What a process may keep more than before: what it reads at once, and what its runtime has not yet freed. */
const most = 200 * mebibyte;

/** In bytes; `peak`: the most since its start. */
const memoryOf = (pid: number, what: 'now' | 'peak' = 'now'): number => {
  const name = what === 'now' ? 'VmRSS' : 'VmHWM';
  const [, kibibytes = '0'] =
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
};

describeWith('bubblewrap')('a coding agent that says too much', () => {
  const programs = createProcesses();
  let world: CodingWorld;
  beforeAll(async () => {
    world = await startCodingWorld(programs);
  });
  afterAll(() => programs.stopAll());

  it('24 10,000 pieces of text, 20 MiB, 200 actions, lines that are no message, and one of 17 MiB: each ends', async () => {
    const { ann, daemon, server } = world;
    const thread = threadOf(ann, 'flood');
    await world.choose('flood');
    // A first turn, so that what is loaded for it is not counted.
    const turns = [
      ['SAY hello'],
      ['GARBAGE', 'POUR 10000 2048', 'MANY 200', 'SAY end'],
      ['SAY big', 'FLOOD 17', 'SAY never'],
      ['SAY still here'],
    ];
    const before: number[] = [];
    const pids = [daemon.process.pid, server.process().pid];
    for (const [at, steps] of turns.entries()) {
      if (at === 1) before.push(...pids.map((pid) => memoryOf(pid)));
      await thread.say(steps.join('\n'));
      await world.allow('Let mine work in the shared folder?');
      await until(async () => (await thread.of('run-finish')).length === at + 1);
    }
    const grown = pids.map((pid, at) => memoryOf(pid, 'peak') - (before[at] ?? 0));
    for (const one of grown) expect(one).toBeLessThan(most);
    const statuses = (await thread.of('run-finish')).map(({ payload }) => payload.status);
    expect(statuses).toEqual(['completed', 'completed', 'error', 'completed']);
    expect((await thread.of('error')).map(({ payload }) => payload.code)).toEqual(['RUNTIME_FAILED']);
    const texts = (await thread.of('text-block')).map(({ payload }) => payload.text);
    expect(texts.join('').length).toBeLessThan(300_000);
    expect(texts.at(-1)).toBe('still here');
    // What was left out of the second turn is said once.
    expect((await thread.of('notice')).length).toBeLessThan(3);
  });
});
