import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { ada, openProcesses, thePerson } from '../../../../test/support/process-fixture.ts';
import { makeFolders, openTools, textOf } from '../../../../test/support/tool-fixture.ts';
import type { RunContext } from '../../common/tool.ts';
import { createProcessWrite } from './write.ts';

it('SH-84 nothing is typed that was not granted in this form', async () => {
  const write = vi.fn();
  const one = { id: 'p1', command: 'cat', folder: '/a', takesInput: false, waits: () => undefined, write };
  const tool = createProcessWrite({
    access: async () => 'allow',
    processes: { find: () => one },
    // Nothing else of a process and its tools is used before.
  } as unknown as Parameters<typeof createProcessWrite>[0]);
  const context = { granted: [] } as unknown as RunContext;
  await expect(tool.run({ process: 'p1', text: 'x' }, context)).rejects.toMatchObject({
    code: 'NOT_GRANTED',
  });
  expect(write).not.toHaveBeenCalled();
});

describeWith('bubblewrap')('SH-84 what is typed into a process', () => {
  it('is at most 64 KiB, counted in bytes', async () => {
    const { start, callAs, read } = await openProcesses();
    const { process: id } = await start('cat', { input: true });
    const write = (text: string) => callAs(ada, 'process_write', { process: id, text, waitMs: 0 });
    expect(await write('é'.repeat(32 * 1024 + 1))).toContain('longer than 64 KiB');
    expect((await read(id, { cursor: 0 })).output).toBe('');
    expect(await write('é')).toContain('running');
  });

  it('goes into the process that the question named alone', async () => {
    const { send, toolbox } = await openTools({ modes: { shell: 'ask' } });
    const call = async (requestId: string, name: string, given: object) =>
      textOf(await send({ requestId, toolCall: { name, arguments: { waitMs: 0, ...given } } }));
    const start = async (requestId: string) => {
      await call(requestId, 'process_start', { command: 'cat' });
      const text = await call(requestId, 'process_start', { command: 'cat', _confirmation: 'allowOnce' });
      return String(/"process":"([^"]+)"/.exec(text)?.[1]);
    };
    const [one, two] = [await start('a'), await start('b')];
    const write = (process: string, given = {}) =>
      call('c', 'process_write', { process, text: 'x', ...given });
    expect(await write(one)).toContain('GATEWAY_CONFIRMATION_REQUIRED::');
    expect(await write(two, { _confirmation: 'allowOnce' })).toContain('does not fit what was asked');
    await toolbox.close();
  });
});

describeWith('bubblewrap', 'git')('two daemons of one folder', () => {
  it('SH-94 the second neither reads, lists, types into nor stops a process of the first, and leaves it at its end', async () => {
    const { start, read, root } = await openProcesses();
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    const { process: id } = await start('echo mine; exec cat', { waitFor: ['mine'], input: true });
    const other = await openProcesses({ folders: { ...makeFolders(), root } });
    const { process: own } = await other.start('cat');
    expect([own.slice(0, 3), own.slice(3) === id.slice(3)]).toEqual([id.slice(0, 3), false]);
    for (const caller of [ada, thePerson]) {
      expect(await other.callAs(caller, 'process_read', { process: id })).not.toContain('mine');
      expect(await other.callAs(caller, 'process_list', {})).not.toContain(id);
      await other.callAs(caller, 'process_write', { process: id, text: 'typed\n' });
      await other.callAs(caller, 'process_stop', { process: id, signal: 'KILL' });
    }
    await other.toolbox.close();
    expect(await read(id, { cursor: 0 })).toMatchObject({ state: 'running', output: 'mine\n' });
  });
});
