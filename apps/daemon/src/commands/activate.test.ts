import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText, type ToolResult } from '@drawbridge/contracts';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { openSettings, type Modes } from '../permission/index.ts';
import { makeFolders, textOf } from '../tools/try-out.ts';
import { createOffer } from './offer.ts';

type Change = Partial<Modes>;

/** A daemon's offer with these modes in its file, and others for this session. */
const start = async ({ kept = {}, session = {} }: { kept?: Change; session?: Change } = {}) => {
  const { own, root } = makeFolders();
  const path = join(own, 'settings.json');
  writeFileSync(path, JSON.stringify({ version: 1, modes: kept }), { mode: 0o600 });
  const settings = await openSettings(own, systemClock);
  const offer = await createOffer({
    clock: systemClock,
    settings,
    modes: { ...settings.modes(), ...session },
    ask: { kind: 'panel' },
    root,
    say: () => {},
    sayOfRules: () => {},
  });
  onTestFinished(offer.close);
  let changes = 0;
  offer.onChanged(() => void (changes += 1));
  let count = 0;
  const send = (requestId: string, args: Record<string, unknown>): Promise<ToolResult> =>
    offer.dispatch(
      { requestId, toolCall: { name: 'activate_tools', arguments: args } },
      {
        signal: new AbortController().signal,
        progress: () => {},
        starting: async () => {},
        large: async () => {},
      },
    );
  const ask = (...groups: string[]) => {
    count += 1;
    return send(`r${count}`, { groups });
  };
  const answer = (decision: string, ...groups: string[]) =>
    send(`r${count}`, { groups, _confirmation: decision });
  const modes = (): unknown => JSON.parse(readFileSync(path, 'utf8')).modes;
  const names = () => offer.tools().map(({ name }) => name);
  return { offer, settings, send, ask, answer, modes, names, changes: () => changes };
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
  expect(modeIn(result, 'shell')).toEqual({ group: 'shell', permits: 'running commands', mode: 'deny' });
  expect(modeIn(result, 'filesystemRead')).toMatchObject({ mode: 'allow' });
  expect([modes(), changes()]).toEqual([{}, 0]);
});

it.each(['ask', 'allow'] as const)(
  'with system on %s: after a yes the group is on ask, kept, and offered',
  async (system) => {
    const { ask, answer, modes, names, changes } = await start({ kept: { system } });
    expect(names()).not.toContain('shell_execute');
    const asked = question(await ask('shell'));
    expect(asked).toMatchObject({
      toolGroup: 'system',
      description:
        'Switch on shell, which permits running commands. It stays on, and each use is asked about',
      options: ['allowOnce', 'denyOnce', 'alwaysDeny'],
    });
    expect([modes(), changes()]).toEqual([{ system }, 0]);
    const result = await answer('allowOnce', 'shell');
    expect(result.structuredContent).toMatchObject({ activated: ['shell'] });
    expect(modes()).toEqual({ system, shell: 'ask' });
    expect(names()).toContain('shell_execute');
    expect(changes()).toBeGreaterThan(0);
  },
);

it.each(['denyOnce', 'alwaysDeny', 'allowForSession', 'alwaysAllow', 'yes'])(
  '%s switches nothing on',
  async (decision) => {
    const { ask, answer, modes, names } = await start();
    await ask('shell');
    expect((await answer(decision, 'shell')).isError).toBe(true);
    expect([modes(), names().includes('shell_execute')]).toEqual([{}, false]);
  },
);

it('an answer for one group does not switch on another', async () => {
  const { ask, answer, modes } = await start();
  await ask('shell');
  expect((await answer('allowOnce', 'shell', 'browser')).isError).toBe(true);
  expect(modes()).toEqual({});
});

it('CF-07 an answer counts once: after the person has switched it off again, it asks anew', async () => {
  const { ask, answer, settings, modes, send } = await start();
  await ask('shell');
  await answer('allowOnce', 'shell');
  writeFileSync(join(settings.folder, 'settings.json'), JSON.stringify({ version: 1 }), { mode: 0o600 });
  expect(isAsked(await send('r1', { groups: ['shell'], _confirmation: 'allowOnce' }))).toBe(true);
  expect(isAsked(await ask('shell'))).toBe(true);
  expect(modes()).toBe(undefined);
});

it('a rule of the file that allows it does not: each time is another', async () => {
  const { ask, settings } = await start();
  await settings.addRules('allow', [{ toolGroup: 'system', resource: 'switch on shell' }]);
  expect(isAsked(await ask('shell'))).toBe(true);
});

it('what the person switched off for this session stays off', async () => {
  const { ask, send, modes } = await start({ kept: { shell: 'ask' }, session: { shell: 'deny' } });
  expect(textOf(await ask('shell'))).toBe(
    'shell cannot be switched on: the person switched it off for this session',
  );
  expect(modeIn(await send('list', {}), 'shell')).toMatchObject({
    mode: 'deny',
    reason: 'the person switched it off for this session',
  });
  expect(modes()).toEqual({ shell: 'ask' });
});

it('a group whose parts are missing is refused with the reason, and stays on deny', async () => {
  const { ask, answer, modes, changes } = await start({ kept: { mcp: 'deny' } });
  await ask('mcp');
  expect(textOf(await answer('allowOnce', 'mcp'))).toBe(
    'mcp cannot be used: no MCP server is set up here; see drawbridge mcp add --help',
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
  expect((await ask('shell')).isError).toBe(true);
  expect(isAsked(await ask('shell'))).toBe(false);
  expect(modes()).toEqual(given.kept ?? {});
});

it.each([[{ groups: ['everything'] }], [{ groups: 'shell' }], [{ groups: [], force: true }]])(
  'arguments %j are refused',
  async (args) => {
    const { send, modes } = await start();
    expect((await send('r1', args)).isError).toBe(true);
    expect(modes()).toEqual({});
  },
);
