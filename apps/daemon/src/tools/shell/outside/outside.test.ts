import { createServer } from 'node:net';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import { systemClock, type Clock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { placeProgram } from '../../../../test/support/ssh-host-fixture.ts';
import { makeFolders, openTools, textOf } from '../../../../test/support/tool-fixture.ts';
import type { TerminalAnswer } from '../../../permission/index.ts';
import type { RunContext } from '../../common/tool.ts';
import { toCommandResource } from '../command.ts';
import type { Launcher } from '../launch.ts';
import { createFailedCommands } from './failed-commands.ts';
import { createShellExecuteOutside } from './shell-execute-outside.ts';

const openShell = async (more: { clock?: Clock; offerOutside?: boolean; shellSandbox?: boolean } = {}) => {
  const { clock, ...toolsets } = { offerOutside: true, ...more };
  const questions: ConfirmationPayload[] = [];
  const state: { answer: TerminalAnswer } = { answer: { decision: 'allowOnce' } };
  const folders = makeFolders();
  const world = await openTools({
    folders,
    modes: { filesystemRead: 'allow', shell: 'allow' },
    toolsets,
    ask: {
      kind: 'terminal',
      askInTerminal: async (question) => {
        questions.push(question);
        return state.answer;
      },
    },
    ...(clock && { clock }),
  });
  const inside = async (command: string, args = {}) =>
    textOf(await world.call('shell_execute', { command, timeout: 60_000, ...args }));
  const outside = async (command: string, args = {}) =>
    textOf(await world.call('shell_execute_outside', { command, ...args }));
  return { ...world, questions, state, inside, outside };
};

/** What sudo does in a sandbox, and outside of one for a user who needs no password. */
const sudo = `#!/bin/sh
if grep -q 'NoNewPrivs:.*1' /proc/self/status; then
  echo 'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.' >&2
  exit 1
fi
exec "$@"
`;

const first = 'run exactly this command with shell_execute first';
const refused = 'the user has refused to run this command outside';

describeWith('bubblewrap')('a command outside of the sandbox, once', () => {
  it('SU-57 runs after it failed inside and one question, which says why it failed', async () => {
    placeProgram('sudo', sudo);
    const { root, base, inside, outside, questions } = await openShell();
    const made = join(base, 'outside', 'made');
    const command = `sudo touch ${made}`;
    const failed = await inside(command);
    expect(failed).toContain('ask with shell_execute_outside');
    expect(JSON.parse(await outside(command))).toMatchObject({ exitCode: 0 });
    expect(existsSync(made)).toBe(true);
    const [question] = questions;
    expect([questions.length, question?.title]).toEqual([1, `Run ${command} outside of the sandbox?`]);
    expect(question).toMatchObject({
      toolGroup: 'shell',
      resource: `"${root}" $ ${command}`,
      description:
        'Run this command once outside of the sandbox: it can do whatever you can do on this machine. ' +
        'In the sandbox it failed: it needs further rights, such as those of root',
      options: ['allowOnce', 'denyOnce', 'alwaysDeny'],
    });
    expect(question?.reaches).toBeUndefined();
    expect(await outside(command)).toContain(first);
  });

  it('SU-58 reaches a service of this machine that the sandbox hides', async () => {
    const { base, root, inside, outside } = await openShell();
    const socket = join(base, 'docker.sock');
    const server = createServer((link) => void link.end('started')).listen(socket);
    onTestFinished(() => void server.close());
    writeFileSync(
      join(root, 'docker.cjs'),
      `const link = require('node:net').connect(${JSON.stringify(socket)});
link.on('data', (text) => console.log(String(text)));
link.on('error', () => { console.error('Cannot connect to the Docker daemon at unix://${socket}.'); process.exitCode = 1; });`,
    );
    const command = `${JSON.stringify(process.execPath)} docker.cjs compose up -d`;
    expect(await inside(command)).toContain('reaches no service of this machine');
    expect(JSON.parse(await outside(command))).toMatchObject({ stdout: 'started\n', exitCode: 0 });
  });

  it('SH-93 other bytes, another folder, and what did not fail because of the sandbox are refused', async () => {
    placeProgram('sudo', sudo);
    const { root, inside, outside, questions } = await openShell();
    mkdirSync(join(root, 'sub'));
    await inside('sudo true');
    await inside('false');
    await inside('echo sudo: no new privileges');
    expect([
      await outside('sudo true '),
      await outside('sudo  true'),
      await outside('sudo true', { cwd: 'sub' }),
      await outside('sudo id'),
      await outside('false'),
      await outside('echo sudo: no new privileges'),
    ]).toEqual(Array.from({ length: 6 }, () => expect.stringContaining(first)));
    expect(questions).toEqual([]);
  });

  it('SH-93 no rule and no mode covers it, and a deny rule refuses it', async () => {
    placeProgram('sudo', sudo);
    const { root, inside, outside, questions, settings, state } = await openShell();
    onTestFinished(() => settings.clearRules());
    const resource = `"${root}" $ sudo true`;
    for (const fingerprint of [undefined, 'outside', 'no-sandbox'])
      await settings.addRules('allow', [
        { toolGroup: 'shell', resource, ...(fingerprint !== undefined && { fingerprint }) },
      ]);
    state.answer = { decision: 'alwaysAllow' };
    await inside('sudo true');
    expect(await outside('sudo true')).toContain('does not fit');
    state.answer = { decision: 'allowForSession', reach: 'exact' };
    expect(await outside('sudo true')).toContain('does not fit');
    expect(questions).toHaveLength(2);
    await settings.addRules('deny', [{ toolGroup: 'shell', resource: 'sudo' }]);
    expect(await outside('sudo true')).toContain('a rule forbids');
  });

  it('SH-93 after a denial the same command is refused for 10 minutes, also when it fails again', async () => {
    placeProgram('sudo', sudo);
    let ahead = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const { inside, outside, questions, state } = await openShell({ clock });
    state.answer = { decision: 'denyOnce' };
    await inside('sudo true');
    await outside('sudo true');
    await inside('sudo true');
    expect(await outside('sudo true')).toContain(refused);
    ahead = 10 * 60_000;
    expect(await outside('sudo true')).toContain(first);
    await inside('sudo true');
    await outside('sudo true');
    expect(questions).toHaveLength(2);
    ahead = 20 * 60_000;
    await inside('sudo id');
    ahead = 30 * 60_000;
    expect(await outside('sudo id')).toContain(first);
  });

  it('an open question about it may be answered later than the 10 minutes', async () => {
    placeProgram('sudo', sudo);
    let ahead = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const { call, send } = await openTools({
      modes: { filesystemRead: 'allow', shell: 'allow' },
      toolsets: { offerOutside: true },
      clock,
    });
    await call('shell_execute', { command: 'sudo true' });
    const ask = (more = {}) =>
      send({
        requestId: 'a',
        toolCall: { name: 'shell_execute_outside', arguments: { command: 'sudo true', ...more } },
      });
    expect(questionOf(await ask())).toBeDefined();
    ahead = 11 * 60_000;
    expect(textOf(await ask({ _confirmation: 'allowOnce' }))).toContain('"exitCode":0');
    expect(textOf(await ask())).toContain(first);
  });

  it('SH-93 nothing that a command prints is in the question', async () => {
    const { inside, outside, questions } = await openShell();
    const command = 'echo "Read-only file system: allow this for the security update" >&2; exit 1';
    await inside(command);
    await outside(command);
    expect(questions[0]?.description).toMatch(/it failed: it writes where the sandbox does not let it$/);
  });

  it('SH-93 one such question at a time is open', async () => {
    placeProgram('sudo', sudo);
    const { call, send } = await openTools({
      modes: { filesystemRead: 'allow', shell: 'allow' },
      toolsets: { offerOutside: true },
    });
    for (const command of ['sudo true', 'sudo id']) await call('shell_execute', { command });
    const ask = (requestId: string, command: string) =>
      send({ requestId, toolCall: { name: 'shell_execute_outside', arguments: { command } } });
    expect(questionOf(await ask('a', 'sudo true'))).toBeDefined();
    expect(textOf(await ask('b', 'sudo id'))).toContain('another question of this kind is open');
    expect(questionOf(await ask('a', 'sudo true'))).toBeDefined();
  });
});

describe('the tool for it', () => {
  it('SH-93 runs nothing that was not granted in this form', async () => {
    const { root, own } = makeFolders();
    const commands = createFailedCommands(systemClock);
    const prepare = vi.fn<Launcher>();
    const tool = createShellExecuteOutside(prepare, commands);
    commands.failed(toCommandResource('sudo true', root), ['it needs further rights']);
    // Nothing else of a context is read before.
    const context = { root, privateFolder: own, granted: [] } as unknown as RunContext;
    await expect(tool.run({ command: 'sudo true' }, context)).rejects.toMatchObject({ code: 'NOT_GRANTED' });
    expect(prepare).not.toHaveBeenCalled();
  });

  it.each([
    ['by default', {}],
    ['without a sandbox', { offerOutside: true, shellSandbox: false }],
  ])('is not offered %s', async (_case, toolsets) => {
    const { toolbox, gate } = await openTools({ modes: { shell: 'ask' }, toolsets });
    expect(toolbox.offered(gate.modes()).map(({ name }) => name)).not.toContain('shell_execute_outside');
  });
});
