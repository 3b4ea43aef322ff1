import { ChildProcess } from 'node:child_process';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { standInPrograms } from '../../../test/programs.ts';
import { createRunProgram } from './run-program.ts';

const mebibyte = 1024 * 1024;

it('a program is missing, ends, is cut after 1 MiB, and is ended after its time', async () => {
  const programs = standInPrograms();
  const clock = createFakeClock();
  const run = createRunProgram({ clock, environment: { PATH: programs.path } });
  expect(await run({ name: 'docker', args: [] })).toEqual({ kind: 'missing' });
  programs.put('docker', [
    { when: 'short', out: 'out', err: 'err', code: 3 },
    { when: 'long', out: 'x'.repeat(2 * mebibyte) },
    { when: 'hang', hangs: true },
  ]);
  const ended = { kind: 'ended', code: 3, stdout: 'out', stderr: 'err', isCut: false };
  expect(await run({ name: 'docker', args: ['short', '$(id)', '; id'] })).toEqual(ended);
  expect(programs.calls()[0]?.args).toEqual(['short', '$(id)', '; id']);
  const cut = await run({ name: 'docker', args: ['long'] });
  expect(cut).toMatchObject({ kind: 'ended', isCut: true });
  expect(cut.kind === 'ended' && cut.stdout.length).toBe(mebibyte);
  const hanging = run({ name: 'docker', args: ['hang'] });
  clock.advance(5_000);
  expect(await hanging).toEqual({ kind: 'timed-out' });
  expect(clock.waiting()).toBe(0);
});

it('signals no process where the program did not start', async () => {
  const signal = vi.spyOn(ChildProcess.prototype, 'kill').mockReturnValue(false);
  onTestFinished(() => signal.mockRestore());
  const clock = createFakeClock();
  const run = createRunProgram({ clock, environment: { PATH: '/nowhere' } });
  const missing = run({ name: 'docker', args: [] });
  clock.advance(5_000);
  expect(await missing).toEqual({ kind: 'timed-out' });
  expect(signal).not.toHaveBeenCalled();
});
