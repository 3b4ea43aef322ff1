import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { ada, openProcesses } from '../../../../test/support/process-fixture.ts';
import { openTools, textOf } from '../../../../test/support/tool-fixture.ts';
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
