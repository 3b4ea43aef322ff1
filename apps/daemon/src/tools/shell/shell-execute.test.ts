import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { nanoid } from 'nanoid';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Modes } from '../../permission/index.ts';
import { describeWith } from '../../../../../e2e/services.ts';
import { everythingAllowed, makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { createCapture } from './capture.ts';
import { withoutNetwork } from './config.ts';
import { clampTimeout } from './command.ts';

const output = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number().nullable(),
  timedOut: z.boolean().optional(),
});
const outputOf = (result: ToolResult) => output.parse(JSON.parse(textOf(result)));

const open = async () => {
  const world = await openTools({ modes: { ...everythingAllowed, shell: 'allow' } });
  mkdirSync(join(world.root, 'sub'));
  writeFileSync(join(world.outside, 'secret.txt'), 'secret');
  return {
    ...world,
    run: (command: string, more: Record<string, unknown> = {}) =>
      world.call('shell_execute', { command, ...more }),
  };
};

describeWith('bubblewrap')('shell_execute', () => {
  it('is offered only where the person switched it on', async () => {
    const { toolbox, gate } = await openTools();
    const names = async (modes: Modes) => {
      await toolbox.open(modes);
      return toolbox.offered(modes).map((tool) => tool.name);
    };
    expect(await names(gate.modes())).not.toContain('shell_execute');
    expect(await names({ ...gate.modes(), shell: 'ask' })).toContain('shell_execute');
  });

  it.each([
    ['true', { stdout: '', stderr: '', exitCode: 0 }, undefined],
    ['echo out; echo err >&2; exit 3', { stdout: 'out\n', stderr: 'err\n', exitCode: 3 }, true],
    ['cat', { stdout: '', stderr: '', exitCode: 0 }, undefined],
    ['kill -9 $$', { stdout: '', stderr: '', exitCode: 137 }, true],
    ["printf 'gr\\303\\266\\303\\237e'", { stdout: 'größe', stderr: '', exitCode: 0 }, undefined],
  ])('%s', async (command, expected, isError) => {
    const { run } = await open();
    const result = await run(command);
    expect([outputOf(result), result.isError]).toEqual([expected, isError]);
  });

  it.each([
    ['..', 'This path leads outside the shared folder ROOT'],
    ['/', 'This path leads outside the shared folder ROOT'],
    ['out', 'This path leads outside the shared folder ROOT'],
    ['missing', 'Nothing exists at this path'],
    ['file', 'This is not a folder'],
    ['a\nb', 'The path has control characters or broken text in it'],
    ['x'.repeat(10_000), 'The path is too long'],
    ['.vscode', 'This path is protected from every tool'],
  ])('SH-30 does not run in %s', async (cwd, text) => {
    const { root, run } = await open();
    symlinkSync('../outside', join(root, 'out'));
    writeFileSync(join(root, 'file'), '');
    mkdirSync(join(root, '.vscode'));
    const result = await run('touch ran', { cwd });
    expect([textOf(result), result.isError, existsSync(join(root, 'ran'))]).toEqual([
      text.replace('ROOT', root),
      true,
      false,
    ]);
  });

  it('SH-30 runs in the real folder, which is what a rule and a person see', async () => {
    const { root, run } = await open();
    symlinkSync('sub', join(root, 'link'));
    expect(outputOf(await run('/bin/pwd -P', { cwd: 'link' })).stdout).toBe(`${join(root, 'sub')}\n`);
    const asking = await openTools({ modes: { shell: 'ask' } });
    const result = await asking.call('shell_execute', { command: 'ls' });
    expect(textOf(result)).toContain(JSON.stringify(`"${asking.root}" $ ls`));
  });

  it('SH-37 keeps the first and the last of much output, and counts the middle', async () => {
    const { run } = await open();
    const { stdout } = outputOf(
      await run('echo first; head -c 5000000 /dev/zero | tr "\\0" a; echo; echo last'),
    );
    expect([stdout.slice(0, 7), stdout.slice(-6), stdout.length < 1_100_000]).toEqual([
      'first\na',
      '\nlast\n',
      true,
    ]);
    expect(stdout).toMatch(/\n… 3951436 bytes left out …\n/);
  });

  it('SH-37 gives whole characters, whatever the pieces', () => {
    const capture = createCapture();
    for (const byte of Buffer.from('größe😀')) capture.add(Buffer.from([byte]));
    expect(capture.text()).toBe('größe😀');
  });

  it('SH-37 tells output as it comes', async () => {
    const { dispatch } = await open();
    const told: ProgressBody[] = [];
    await dispatch(
      {
        requestId: 'r',
        toolCall: {
          name: 'shell_execute',
          arguments: { command: 'printf "\\303"; sleep 0.3; printf "\\266 and"; sleep 0.3; echo more' },
        },
      },
      {
        tag: nanoid(),
        signal: new AbortController().signal,
        progress: (update) => told.push(update),
        starting: async () => undefined,
        delivered: Promise.resolve(),
      },
    );
    expect(told.length).toBeGreaterThan(1);
    expect(told.map((update) => update.output ?? '').join('')).toBe('ö andmore\n');
  });

  it.each([
    [0, 1_000],
    [-1, 1_000],
    [1e12, 540_000],
    [Infinity, 540_000],
    [undefined, 30_000],
    [2_500.7, 2_500],
  ])('SH-38 a time-out of %s is %d ms', (timeout, expected) => {
    expect(clampTimeout(timeout)).toBe(expected);
  });

  it.each([
    ['text', 'soon'],
    ['null', null],
  ])('SH-38 a time-out that is %s is refused', async (_case, timeout) => {
    const { run } = await open();
    expect(textOf(await run('true', { timeout }))).toContain('timeout: ');
  });

  it('SH-39 the command knows nothing of the daemon, has no input and no terminal', async () => {
    process.env['DRAWBRIDGE_TEST_SECRET'] = 'sess_secret';
    const { run } = await open();
    const { stdout } = outputOf(await run('env; tty; readlink /proc/self/fd/0; ls /proc/self/fd'));
    delete process.env['DRAWBRIDGE_TEST_SECRET'];
    const names = stdout.split('\n').flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
    const known = [
      'PATH',
      'HOME',
      'USER',
      'LOGNAME',
      'LANG',
      'LC_ALL',
      'LC_CTYPE',
      'LC_MESSAGES',
      'TERM',
      'TMPDIR',
      'TZ',
      'PWD',
      'OLDPWD',
      'PYTHONUNBUFFERED',
      'SHLVL',
      '_',
      'DRAWBRIDGE_CALL',
      ...Object.keys(withoutNetwork),
      'GOFLAGS',
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(stdout).not.toContain('sess_secret');
    expect(stdout).toMatch(/not a tty\n\/dev\/null\n/);
  });

  it('SH-35 what was allowed in the sandbox is asked about without one', async () => {
    const folders = makeFolders();
    const start = async (shellSandbox: boolean) => {
      const { send } = await openTools({ folders, modes: { shell: 'ask' }, toolsets: { shellSandbox } });
      return async (more = {}) => {
        const toolCall = { name: 'shell_execute', arguments: { command: 'echo ran', ...more } };
        return textOf(await send({ requestId: 'r', toolCall }));
      };
    };
    const first = await start(true);
    expect(await first()).toContain('Run a command in the sandbox: no network');
    expect(await first({ _confirmation: 'alwaysAllow' })).toContain('"exitCode":0');
    expect(await (await start(true))()).toContain('"exitCode":0');
    expect(await (await start(false))()).toContain('Run a command without a sandbox');
  });

  it('SH-23 what runs is what was allowed', async () => {
    const { root, send } = await openTools({ modes: { shell: 'ask' } });
    mkdirSync(join(root, 'a'));
    mkdirSync(join(root, 'b'));
    symlinkSync('a', join(root, 'cwd'));
    const call = (more: object) =>
      send({
        requestId: 'r',
        toolCall: { name: 'shell_execute', arguments: { command: 'touch ran', cwd: 'cwd', ...more } },
      });
    await call({});
    const { rmSync } = await import('node:fs');
    rmSync(join(root, 'cwd'));
    symlinkSync('b', join(root, 'cwd'));
    expect(textOf(await call({ _confirmation: 'allowOnce' }))).toContain('GATEWAY_CONFIRMATION_REQUIRED::');
    expect([readdirSync(join(root, 'a')), readdirSync(join(root, 'b'))]).toEqual([[], []]);
  });
});
