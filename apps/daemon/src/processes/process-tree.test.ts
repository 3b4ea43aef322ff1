import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createFakeClock, nextMacrotask, systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endTree, hasNamespaceEnded, send, tagVariable } from './process-tree.ts';

const startSleeps = async (count: number, tag: string): Promise<ChildProcess[]> => {
  const env = { PATH: process.env['PATH'], [tagVariable]: tag };
  const started = Array.from({ length: count }, () => spawn('sleep', ['1000'], { stdio: 'ignore', env }));
  onTestFinished(() => started.forEach((one) => one.kill('SIGKILL')));
  await Promise.all(started.map((one) => new Promise((resolve) => one.once('spawn', resolve))));
  return started;
};

describe.runIf(process.platform === 'linux')('the end of a process tree', () => {
  it('gives other work its turn while it looks for processes', async () => {
    const others = await startSleeps(100, 'another');
    let turns = 0;
    let isOver = false;
    const ended = endTree({ tag: 'own' }, systemClock).finally(() => (isOver = true));
    while (!isOver) {
      await nextMacrotask();
      turns += 1;
    }
    await ended;
    // Two looks at more than 100 processes, 32 at a time.
    expect(turns).toBeGreaterThanOrEqual(6);
    expect(others.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null)).toBe(true);
  });

  it('goes on where processes begin and end while it looks', async () => {
    const busy = spawn('sh', ['-c', 'while :; do (:) & (:) & (:) & (:) & wait; done'], { stdio: 'ignore' });
    onTestFinished(() => void busy.kill('SIGKILL'));
    for (let look = 0; look < 60; look += 1) await endTree({ tag: 'none' }, systemClock);
    expect(busy.exitCode).toBe(null);
  });

  it('does not wait for processes that ended and that their parent has not read', async () => {
    // Of a group of its own, and a child of a process that never asks how it ended: pid 1 of some containers.
    const parent = spawn('sh', ['-c', 'setsid sleep 1000 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const group = Number(String(line));
    onTestFinished(() => void send(-group, 'SIGKILL'));
    // Its shell may not have become the program yet, which would still read how the other one ended.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    await expect.poll(() => send(-group, 'SIGTERM')).toBe(true);
    await expect.poll(() => readFileSync(`/proc/${group}/stat`, 'utf8')).toMatch(/\) Z /);
    const clock = createFakeClock();
    await endTree({ group, tag: 'none' }, clock);
    expect(clock.waiting()).toBe(0);
  });

  it('waits for the first process of a namespace, at most 2 s', async () => {
    const [first] = await startSleeps(1, 'first');
    const pid = first?.pid ?? 0;
    const clock = createFakeClock();
    const inVain = hasNamespaceEnded(pid, clock);
    for (let waitedMs = 0; waitedMs < 2_000; waitedMs += 5) {
      await nextMacrotask();
      clock.advance(5);
    }
    expect(await inVain).toBe(false);
    const awaited = hasNamespaceEnded(pid, systemClock);
    first?.kill('SIGKILL');
    expect(await awaited).toBe(true);
    expect([await hasNamespaceEnded(Number.NaN, clock), await hasNamespaceEnded(0, clock)]).toEqual([
      false,
      false,
    ]);
  });

  it('ends every process with the tag, and none with another', async () => {
    const [own, others] = [await startSleeps(40, 'tag'), await startSleeps(3, 'tag-of-another')];
    await endTree({ tag: 'tag' }, systemClock);
    await expect.poll(() => own.filter(({ signalCode }) => signalCode !== 'SIGTERM').length).toBe(0);
    expect(others.filter(({ signalCode }) => signalCode !== null)).toEqual([]);
  });
});
