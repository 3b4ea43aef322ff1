import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { effectiveModes, openSettings } from '../permission/index.ts';
import { makeFolders } from '../../test/support/tool-fixture.ts';
import { createToolHost } from './tool-host.ts';

it('FS-23 a mode that the file sets to deny while the daemon runs holds for the next call', async () => {
  const { own, root } = makeFolders();
  await writeFile(join(root, 'a.txt'), 'one');
  const settings = await openSettings(own, systemClock);
  const modes = { ...settings.modes(), shell: 'ask' as const };
  const toolHost = await createToolHost({
    clock: systemClock,
    settings,
    modes,
    flags: [],
    ask: { kind: 'panel' },
    root,
    toolsets: { notify: () => {} },
    notifyOfRules: () => {},
    notifyOfModes: () => {},
  });
  const read = (requestId: string) =>
    toolHost.dispatch(
      { requestId, toolCall: { name: 'read_file', arguments: { filePath: 'a.txt' } } },
      {
        tag: 'tag',
        signal: new AbortController().signal,
        progress: () => {},
        starting: async () => {},
        delivered: Promise.resolve(),
      },
    );

  expect((await read('one')).isError).not.toBe(true);
  await writeFile(
    join(settings.folder, 'settings.json'),
    JSON.stringify({ version: 1, modes: { filesystemRead: 'deny' } }),
    { mode: 0o600 },
  );
  expect(await read('two')).toMatchObject({ isError: true, _meta: { 'drawbridge/outcome': 'denied' } });
});

it('a flag holds for the session, though it says what the file says; the rest follows the file and says so', async () => {
  const { own, root } = makeFolders();
  const settings = await openSettings(own, systemClock);
  const toolHost = await createToolHost({
    clock: systemClock,
    settings,
    modes: { ...settings.modes(), mcp: 'deny' },
    flags: ['shell'],
    ask: { kind: 'panel' },
    root,
    toolsets: { notify: () => {} },
    notifyOfRules: () => {},
    notifyOfModes: () => {},
  });
  await settings.setMode('shell', 'ask');
  await settings.setMode('browser', 'deny');
  expect([toolHost.modes(), toolHost.modeSources()]).toMatchObject([
    { shell: 'deny', browser: 'deny', mcp: 'deny', computer: 'deny' },
    { shell: 'flag', browser: 'settings.json', mcp: 'session', computer: 'default' },
  ]);
  await toolHost.close();
});

it('what another process saves is in effect without a call: a group comes, and one goes, but for those of a flag', async () => {
  const { own, root } = makeFolders();
  const settings = await openSettings(own, systemClock);
  await settings.setMode('filesystemRead', 'deny');
  const sentences: string[] = [];
  const toolHost = await createToolHost({
    clock: systemClock,
    settings,
    modes: effectiveModes({ ...settings.modes(), mcp: 'deny' }),
    flags: ['mcp'],
    ask: { kind: 'panel' },
    root,
    toolsets: { notify: () => {}, shellSandbox: false },
    notifyOfRules: () => {},
    notifyOfModes: (sentence) => void sentences.push(sentence),
  });
  onTestFinished(toolHost.close);
  const names = () => toolHost.tools().map(({ name }) => name);
  const followed = (assertion: () => void) =>
    new Promise<void>((resolve) => {
      const check = () => {
        try {
          assertion();
          resolve();
        } catch {
          // Not yet.
        }
      };
      toolHost.onChanged(check);
      check();
    });
  expect(names()).toEqual(['activate_tools']);

  const elsewhere = await openSettings(own, systemClock);
  await elsewhere.setMode('shell', 'ask');
  await elsewhere.setMode('filesystemRead', 'ask');
  await elsewhere.setMode('mcp', 'allow');
  await followed(() => {
    expect(names()).toEqual(expect.arrayContaining(['shell_execute', 'read_file', 'write_file']));
    expect(toolHost.toolCategories()).toContainEqual(
      expect.objectContaining({ name: 'shell', enabled: true }),
    );
  });
  expect([toolHost.modes(), toolHost.modeSources()]).toMatchObject([
    { shell: 'ask', filesystemRead: 'ask', filesystemWrite: 'ask', mcp: 'deny' },
    { shell: 'settings.json', filesystemWrite: 'default', mcp: 'flag' },
  ]);

  await elsewhere.setMode('shell', 'deny');
  await followed(() => expect(names()).not.toContain('shell_execute'));
  expect(sentences).toEqual(
    expect.arrayContaining([
      'run commands: ask, saved (settings.json)',
      'run commands: deny, saved (settings.json)',
    ]),
  );
});
