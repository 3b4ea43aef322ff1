import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { defaultModes } from '@drawbridge/contracts/groups';
import { CodedError, systemClock } from '@drawbridge/kit';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { AskInTerminal } from '../terminal/ask.ts';
import { toLazyTool } from './common/lazy-tool.ts';
import { createDispatch } from './index.ts';
import { defineTool } from './common/tool.ts';
import { everythingAllowed, textOf, openTools } from '../../test/support/tool-fixture.ts';

const write = (requestId: string, args: Record<string, unknown> = {}) => ({
  requestId,
  toolCall: { name: 'write_file', arguments: { filePath: 'a.txt', content: 'new', ...args } },
});

const withShell = { ...everythingAllowed, shell: 'allow' } as const;

describe('dispatch', () => {
  it('reads a file', async () => {
    const { root, call } = await openTools();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
    const data = { path: 'a.txt', content: 'one\ntwo\n', truncated: false, totalLines: 2 };
    expect(await call('read_file', { filePath: 'a.txt' })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(data) }],
      structuredContent: data,
    });
  });

  it('lets the terminal say who asks', async () => {
    const caller = { id: 'token:1', name: 'Claude Code' };
    const askers: unknown[] = [];
    const askInTerminal: AskInTerminal = async (_question, asked) => {
      askers.push(asked.caller);
      return { decision: 'denyOnce' };
    };
    const { send } = await openTools({ ask: { kind: 'terminal', askInTerminal } });
    await send({ ...write('r1'), caller });
    await send(write('r2'));
    expect(askers).toEqual([caller, undefined]);
  });

  it('CF-15 asks before it writes, and writes what was asked about', async () => {
    const { root, send } = await openTools();
    writeFileSync(join(root, 'a.txt'), 'old\n');
    const asked = await send(write('r1'));
    const question = confirmationText.decode(textOf(asked));
    const labels = [...new Set(question.reaches?.map(({ label }) => label))];
    expect({ ...question, reaches: labels, askId: '' }).toEqual({
      title: 'Replace a.txt?',
      why: [{ cause: 'mode', toolGroup: 'filesystemWrite' }],
      toolGroup: 'filesystemWrite',
      resource: join(root, 'a.txt'),
      description: `Replace file: ${join(root, 'a.txt')}`,
      options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
      resources: [
        {
          toolGroup: 'filesystemWrite',
          resource: join(root, 'a.txt'),
          description: `Replace file: ${join(root, 'a.txt')}`,
        },
      ],
      preview: {
        kind: 'diff',
        path: 'a.txt',
        added: 1,
        removed: 1,
        lines: 1,
        hunks: [
          {
            oldStart: 1,
            newStart: 1,
            lines: [
              { kind: 'removed', text: 'old' },
              { kind: 'added', text: 'new', lastWithoutLineFeed: true },
            ],
          },
        ],
      },
      reaches: [`change or delete ${join(root, 'a.txt')}`, `change or delete files in ${root} and below`],
      askId: '',
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old\n');
    expect(await send(write('r1', { _confirmation: 'allowOnce' }))).toMatchObject({
      structuredContent: { path: 'a.txt' },
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
  });

  it.each([
    ['an unknown tool', 'rm_rf', {}, 'This machine does not offer this tool'],
    ['a missing argument', 'read_file', {}, 'filePath: is missing'],
    ['a wrong type', 'read_file', { filePath: 7 }, 'filePath: must be a text'],
    ['one too many', 'read_file', { filePath: 'a', b: 1 }, 'arguments: has unknown fields: "b"'],
    ['nothing there', 'read_file', { filePath: 'no.txt' }, 'Nothing exists at this path'],
  ])('answers %s with an error result', async (_case, name, args, text) => {
    const { call } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    const result = await call(name, args);
    expect([result.isError, textOf(result)]).toEqual([true, text]);
  });

  it('makes parent folders', async () => {
    const { root, call } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    mkdirSync(join(root, 'x'));
    await call('write_file', { filePath: 'x/y/z/a.txt', content: 'deep' });
    expect(readFileSync(join(root, 'x/y/z/a.txt'), 'utf8')).toBe('deep');
  });

  it('says of a denial and of a question that nothing started', async () => {
    const { settings, root, send } = await openTools();
    expect(await send(write('r1'))).toMatchObject({ isError: true, _meta: { 'drawbridge/started': false } });
    const denied = {
      isError: true,
      content: [{ type: 'text', text: 'Access denied by the user' }],
      _meta: { 'drawbridge/outcome': 'denied', 'drawbridge/started': false },
    };
    expect(await send(write('r1', { _confirmation: 'denyOnce' }))).toEqual(denied);
    await settings.addRules('deny', [{ toolGroup: 'filesystemWrite', resource: root }]);
    expect(await send(write('r2'))).toMatchObject({ isError: true, _meta: denied._meta });
  });

  it('a call whose group is on deny is refused all the same', async () => {
    const { call, toolbox } = await openTools({ modes: { filesystemRead: 'deny' } });
    // As when the group was switched off after the tools were offered.
    await toolbox.open(defaultModes);
    const results = [
      await call('read_file', { filePath: 'a' }),
      await call('write_file', { filePath: 'a', content: '' }),
    ];
    expect(results.map(textOf)).toEqual([
      'Access denied: filesystemRead is switched off on this machine',
      'Access denied: filesystemWrite is switched off on this machine',
    ]);
  });

  it.each(['ask', 'allow'] as const)(
    'a call that was cancelled before it started does not start: %s',
    async (mode) => {
      const { root, send } = await openTools({ modes: { filesystemWrite: mode } });
      expect(await send(write('r1'), AbortSignal.abort())).toEqual({
        content: [{ type: 'text', text: 'The call was cancelled' }],
        isError: true,
        _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': false },
      });
      expect(existsSync(join(root, 'a.txt'))).toBe(false);
    },
  );

  it('says what it is about to change before it does, and not of what only reads', async () => {
    const { root, send } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    const said: unknown[] = [];
    const starting = async (paths: string[]) => void said.push([paths, existsSync(join(root, 'a.txt'))]);
    const signal = new AbortController().signal;
    await send(write('r1'), signal, starting);
    await send(
      { requestId: 'r2', toolCall: { name: 'read_file', arguments: { filePath: 'a.txt' } } },
      signal,
      starting,
    );
    await send(
      { requestId: 'r3', toolCall: { name: 'shell_execute', arguments: { command: 'true' } } },
      signal,
      starting,
    );
    expect(said).toEqual([
      [[join(root, 'a.txt')], false],
      [[], true],
    ]);
  });

  it('changes nothing when that cannot be written down', async () => {
    const { root, send } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    const result = await send(write('r1'), new AbortController().signal, async () => {
      throw new CodedError('JOURNAL_FAILED', 'Nothing was changed');
    });
    expect(result).toEqual({
      content: [{ type: 'text', text: 'Nothing was changed' }],
      isError: true,
      _meta: { 'drawbridge/started': false },
    });
    expect(existsSync(join(root, 'a.txt'))).toBe(false);
  });

  it('a call that is cancelled while it waits for its turn never starts', async () => {
    const { root, send } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    const shell = (requestId: string, command: string) => ({
      requestId,
      toolCall: { name: 'shell_execute', arguments: { command } },
    });
    const running = ['r1', 'r2'].map((id) =>
      send(shell(id, `touch ${id}; while [ ! -e go ]; do sleep 0.05; done`)),
    );
    await vi.waitFor(() => expect(readdirSync(root)).toEqual(['r1', 'r2']), { timeout: 30_000 });
    const abort = new AbortController();
    const begun: string[] = [];
    const waits = send(shell('r3', 'touch started'), abort.signal, async () => void begun.push('r3'));
    await send({ requestId: 'r4', toolCall: { name: 'list_files', arguments: {} } });
    expect(begun).toEqual([]);
    abort.abort();
    expect(await waits).toEqual({
      content: [{ type: 'text', text: 'The call was cancelled' }],
      isError: true,
      _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': false },
    });
    writeFileSync(join(root, 'go'), '');
    await Promise.all(running);
    expect(existsSync(join(root, 'started'))).toBe(false);
  });

  it('the same request a second time while it runs is not a second run', async () => {
    const { root, send } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    const request = {
      requestId: 'r1',
      toolCall: { name: 'shell_execute', arguments: { command: 'echo run >> runs; sleep 0.1' } },
    };
    const [first, second] = await Promise.all([send(request), send(request)]);
    expect([first, readFileSync(join(root, 'runs'), 'utf8')]).toEqual([second, 'run\n']);
  });

  it('an error that no tool foresaw tells nothing of the machine', async () => {
    const { gate, settings, root } = await openTools({ modes: withShell, toolsets: { shellSandbox: false } });
    const broken = defineTool({
      name: 'broken',
      title: '',
      description: '',
      group: 'filesystemRead',
      category: 'filesystem',
      effect: 'reads',
      input: z.strictObject({}),
      resources: async () => [],
      asks: () => 'Look?',
      run: () => Promise.reject(new Error('secret at /home/me')),
    });
    const dispatch = createDispatch({
      find: () => toLazyTool(broken),
      gate,
      root,
      privateFolder: settings.folder,
      clock: systemClock,
    });
    const result = await dispatch(
      { requestId: 'r1', toolCall: { name: 'broken', arguments: {} } },
      {
        tag: 'tag',
        signal: new AbortController().signal,
        progress: () => undefined,
        starting: async () => undefined,
        delivered: Promise.resolve(),
      },
    );
    expect(result).toEqual({ content: [{ type: 'text', text: 'The tool failed' }], isError: true });
  });
});
