import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { openSettings, type Modes } from '../permission/index.ts';
import { makeFolders, textOf } from '../../test/support/tool-fixture.ts';
import { createToolHost } from './tool-host.ts';

type Change = Partial<Modes>;
const noFiles = { filesystemRead: 'deny', filesystemWrite: 'deny' } as const;

/** A daemon's offer with these modes in its file, and others for this session. */
const start = async ({ kept = {}, session = {} }: { kept?: Change; session?: Change } = {}) => {
  const { own, root } = makeFolders();
  const path = join(own, 'settings.json');
  writeFileSync(path, JSON.stringify({ version: 1, modes: kept }), { mode: 0o600 });
  const settings = await openSettings(own, systemClock);
  const toolHost = await createToolHost({
    clock: systemClock,
    settings,
    modes: { ...settings.modes(), ...session },
    flags: [],
    ask: { kind: 'panel' },
    root,
    toolsets: { notify: () => {} },
    notifyOfRules: () => {},
    notifyOfModes: () => {},
  });
  onTestFinished(toolHost.close);
  let changes = 0;
  toolHost.onChanged(() => void (changes += 1));
  let count = 0;
  const send = (requestId: string, args: Record<string, unknown>): Promise<ToolResult> =>
    toolHost.dispatch(
      { requestId, toolCall: { name: 'activate_tools', arguments: args } },
      {
        tag: 'tag',
        signal: new AbortController().signal,
        progress: () => {},
        starting: async () => {},
        delivered: Promise.resolve(),
      },
    );
  const ask = (...groups: string[]) => {
    count += 1;
    return send(`r${count}`, { groups });
  };
  const answer = (decision: string, ...groups: string[]) =>
    send(`r${count}`, { groups, _confirmation: decision });
  const modes = (): unknown => JSON.parse(readFileSync(path, 'utf8')).modes;
  const names = () => toolHost.tools().map(({ name }) => name);
  return { toolHost, settings, send, ask, answer, modes, names, changes: () => changes };
};

const question = (result: ToolResult) => confirmationText.decode(textOf(result));
const isAsked = (result: ToolResult) => confirmationText.safeDecode(textOf(result)).success;
const modeIn = (result: ToolResult, group: string): unknown => {
  const groups = result.structuredContent?.['groups'];
  return Array.isArray(groups) ? groups.find((one: { group: string }) => one.group === group) : undefined;
};

it('lists groups without a question, and changes nothing', async () => {
  const { send, modes, changes } = await start({ session: { computer: 'deny' } });
  const result = await send('r1', {});
  expect(modeIn(result, 'filesystemRead')).toEqual({
    group: 'filesystemRead',
    permits: 'reading files in the folder',
    mode: 'allow',
  });
  expect(modeIn(result, 'shell')).toMatchObject({ mode: 'deny' });
  expect([modes(), changes()]).toEqual([{}, 0]);
});

it.each(['ask', 'allow'] as const)(
  'with system on %s: after a yes the group is on ask, kept, and offered',
  async (system) => {
    const { ask, answer, modes, names, changes } = await start({ kept: { ...noFiles, system } });
    expect(names()).not.toContain('read_file');
    const asked = question(await ask('filesystemRead'));
    expect(asked).toMatchObject({
      toolGroup: 'system',
      description:
        'Switch on filesystemRead, which permits reading files in the folder. It stays on, and each use is asked about',
      options: ['allowOnce', 'denyOnce', 'alwaysDeny'],
    });
    expect([modes(), changes()]).toEqual([{ ...noFiles, system }, 0]);
    const result = await answer('allowOnce', 'filesystemRead');
    expect(result.structuredContent).toMatchObject({ activated: ['filesystemRead'] });
    expect(modes()).toEqual({ ...noFiles, system, filesystemRead: 'ask' });
    expect(names()).toContain('read_file');
    expect(changes()).toBeGreaterThan(0);
  },
);

it.each(['denyOnce', 'alwaysDeny', 'allowForSession', 'alwaysAllow', 'yes'])(
  '%s switches nothing on',
  async (decision) => {
    const { ask, answer, modes, names } = await start({ kept: noFiles });
    await ask('filesystemRead');
    expect((await answer(decision, 'filesystemRead')).isError).toBe(true);
    expect([modes(), names().includes('read_file')]).toEqual([noFiles, false]);
  },
);

it('an answer for one group does not switch on another', async () => {
  const { ask, answer, modes } = await start({ kept: noFiles });
  await ask('filesystemRead');
  expect((await answer('allowOnce', 'filesystemRead', 'filesystemWrite')).isError).toBe(true);
  expect(modes()).toEqual(noFiles);
});

it('CF-07 an answer counts once: after the person has switched it off again, it asks anew', async () => {
  const { ask, answer, settings, modes, send } = await start({ kept: noFiles });
  await ask('filesystemRead');
  await answer('allowOnce', 'filesystemRead');
  writeFileSync(join(settings.folder, 'settings.json'), JSON.stringify({ version: 1, modes: noFiles }), {
    mode: 0o600,
  });
  expect(isAsked(await send('r1', { groups: ['filesystemRead'], _confirmation: 'allowOnce' }))).toBe(true);
  expect(isAsked(await ask('filesystemRead'))).toBe(true);
  expect(modes()).toEqual(noFiles);
});

it('a rule of the file that allows it does not: each time is another', async () => {
  const { ask, settings } = await start({ kept: noFiles });
  await settings.addRules('allow', [{ toolGroup: 'system', resource: 'switch on filesystemRead' }]);
  expect(isAsked(await ask('filesystemRead'))).toBe(true);
});

it('what the person switched off for this session stays off', async () => {
  const { ask, send, modes } = await start({
    kept: { filesystemRead: 'ask' },
    session: { filesystemRead: 'deny' },
  });
  expect(textOf(await ask('filesystemRead'))).toBe(
    'filesystemRead cannot be switched on: the user switched it off for this session',
  );
  expect(modeIn(await send('list', {}), 'filesystemRead')).toMatchObject({
    mode: 'deny',
    reason: 'the user switched it off for this session',
  });
  expect(modes()).toEqual({ filesystemRead: 'ask' });
});

it('a group whose parts are missing is refused with the reason, and stays on deny', async () => {
  const { ask, answer, modes, changes } = await start({ kept: { mcp: 'deny' } });
  await ask('mcp');
  expect(textOf(await answer('allowOnce', 'mcp'))).toMatch(
    /^mcp cannot be used: no MCP server is set up here; see .+ mcp add --help$/,
  );
  expect([modes(), changes()]).toEqual([{ mcp: 'deny' }, 0]);
});

it('writing needs reading', async () => {
  const { ask, answer, modes, names } = await start({
    kept: { filesystemRead: 'deny', filesystemWrite: 'deny' },
  });
  expect(textOf(await ask('filesystemWrite'))).toContain('it needs filesystemRead too');
  await ask('filesystemWrite', 'filesystemRead');
  await answer('allowOnce', 'filesystemWrite', 'filesystemRead');
  expect(modes()).toEqual({ filesystemRead: 'ask', filesystemWrite: 'ask' });
  expect(names()).toEqual(expect.arrayContaining(['read_file', 'write_file']));
});

it.each<[string, { kept?: Change; session?: Change }]>([
  ['in the file', { kept: { system: 'deny' } }],
  ['by a flag', { session: { system: 'deny' } }],
])('with system on deny %s it is not offered, and a call is refused', async (_name, given) => {
  const { names, ask, modes } = await start(given);
  expect(names()).not.toContain('activate_tools');
  expect((await ask('filesystemRead')).isError).toBe(true);
  expect(isAsked(await ask('filesystemRead'))).toBe(false);
  expect(modes()).toEqual(given.kept ?? {});
});

it.each([[{ groups: ['everything'] }], [{ groups: 'filesystemRead' }], [{ groups: [], force: true }]])(
  'arguments %j are refused',
  async (args) => {
    const { send, modes } = await start({ kept: noFiles });
    expect((await send('r1', args)).isError).toBe(true);
    expect(modes()).toEqual(noFiles);
  },
);

it('RT-12 coding agents are switched on at the machine alone', async () => {
  const { ask, settings } = await start();
  const refused =
    'runtime cannot be switched on: the user enables coding agents at the machine, with drawbridge runtimes';
  expect(textOf(await ask('runtime'))).toContain(refused);
  expect(settings.modes().runtime).toBe('deny');
});
