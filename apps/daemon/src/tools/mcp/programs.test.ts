import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { openShell } from '../../../test/support/shell-fixture.ts';
import { scripted, until } from '../../../test/support/scripted-mcp-server.ts';
import { everythingAllowed, makeFolders, openTools, textOf } from '../../../test/support/tool-fixture.ts';
import { changedPrograms, withPrograms } from './programs.ts';
import { openMcpServers, type McpServer } from './servers-file.ts';

/** Folders whose private one is that of the home folder, as a daemon has them. */
const openHome = () => {
  const folders = makeFolders();
  const own = join(folders.base, '.drawbridge');
  renameSync(folders.own, own);
  const before = process.env['HOME'];
  process.env['HOME'] = folders.base;
  onTestFinished(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  });
  return { ...folders, own };
};

const start = async (folders: ReturnType<typeof makeFolders>, given: McpServer) => {
  const servers = await openMcpServers(folders.own, systemClock);
  await servers.add('own', await withPrograms(given, folders.own));
  const said: string[] = [];
  const open = () =>
    openTools({ folders, modes: { mcp: 'allow' }, notify: (sentence) => said.push(sentence) });
  const named = ({ toolbox, gate }: Awaited<ReturnType<typeof open>>) =>
    toolbox.offered(gate.modes()).filter(({ name }) => name.includes('__'));
  return { servers, said, open, named };
};

describe('NG-60 the program of a local MCP server that lies in the shared folder', () => {
  it('starts as it was confirmed, does not start when it has changed, and starts after it is confirmed', async () => {
    const folders = makeFolders();
    const server = scripted(folders.root);
    const { servers, said, open, named } = await start(folders, server);
    const first = await open();
    await until(() => expect(named(first)).toHaveLength(1));
    await first.toolbox.close();
    writeFileSync(
      join(folders.root, 'server.cjs'),
      `require('node:fs').writeFileSync('${folders.base}/pwned', '')`,
    );
    const second = await open();
    const reason = () =>
      second.toolbox.categories(second.gate.modes()).find(({ name }) => name === 'mcp')?.reason;
    await until(() =>
      expect(reason()).toMatch(
        /server\.cjs changed since it was confirmed\. Start it again\? .*mcp confirm own/,
      ),
    );
    await until(() => expect(said.join('\n')).toContain('mcp confirm own'));
    expect(() => readFileSync(join(folders.base, 'pwned'))).toThrow('ENOENT');
    scripted(folders.root, '// mine');
    await servers.add('own', await withPrograms(server, folders.own));
    await until(() => expect(named(second)).toHaveLength(1));
  });

  it.each<[string, (root: string) => Partial<McpServer>]>([
    ['a script of an interpreter', (root) => ({ command: 'node', args: [`${root}/s.mjs`] })],
    ['the program itself', (root) => ({ command: `${root}/s.mjs` })],
    ['a script without a known end', (root) => ({ command: 'python3', args: ['-u', `${root}/run`] })],
    ['a shell', (root) => ({ command: 'sh', args: ['-c', `cd ${root} && exec node s.mjs`] })],
    ['an option', (root) => ({ command: 'node', args: [`--import=${root}/s.mjs`, '/usr/lib/x.mjs'] })],
    ['a short option', (root) => ({ command: 'node', args: [`-r${root}/s.mjs`, '/usr/lib/x.mjs'] })],
    ['settings', (root) => ({ command: 'srv', args: ['--config', `${root}/c.json`] })],
    [
      'a variable',
      (root) => ({ command: 'node', args: ['/x.mjs'], env: { NODE_OPTIONS: `--require ${root}/s.mjs` } }),
    ],
    ['a link elsewhere', (root) => ({ command: 'node', args: [`${root}/../linked.mjs`] })],
    ['a folder of Python', (root) => ({ command: 'python3', args: [root + '/pkg'] })],
    ['a file that is not there yet', (root) => ({ command: 'node', args: [`${root}/later.mjs`] })],
    ['a name with a blank', (root) => ({ command: 'node', args: [`${root}/a b.mjs`] })],
  ])('%s counts', async (_case, given) => {
    const { root, base, own } = makeFolders();
    symlinkSync(join(root, 's.mjs'), join(base, 'linked.mjs'));
    const server = { args: [], env: {}, command: '', ...given(root) };
    const fill = (text: string) => {
      for (const name of ['s.mjs', 'run', 'c.json', 'a b.mjs']) writeFileSync(join(root, name), text);
    };
    fill('one');
    const confirmed = await withPrograms(server, own);
    const changed = () => changedPrograms(confirmed, { root, privateFolder: own });
    expect(await changed()).toEqual([]);
    fill('two');
    writeFileSync(join(root, 'later.mjs'), '');
    mkdirSync(join(root, 'pkg'));
    writeFileSync(join(root, 'pkg/__main__.py'), '');
    expect(await changed()).toHaveLength(1);
  });

  it.each<[string, (root: string) => Partial<McpServer>]>([
    ['a folder of data', (root) => ({ command: 'npx', args: ['server-filesystem', root, `${root}/notes`] })],
    ['a database', (root) => ({ command: 'sqlite-mcp', args: ['--db-path', `${root}/test.db`] })],
    [
      'a file of memory in a variable',
      (root) => ({ command: 'mem', env: { MEMORY_FILE: `${root}/memory.json` } }),
    ],
    ['a program elsewhere', () => ({ command: '/usr/bin/env', args: ['node', '/usr/lib/x.mjs'] })],
  ])('%s does not count', async (_case, given) => {
    const { root, own } = makeFolders();
    const server = { args: [], env: {}, command: '', ...given(root) };
    for (const name of ['test.db', 'memory.json', 'package.json']) writeFileSync(join(root, name), 'one');
    const confirmed = await withPrograms(server, own);
    for (const name of ['test.db', 'memory.json', 'package.json']) writeFileSync(join(root, name), 'two');
    expect(await changedPrograms(confirmed, { root, privateFolder: own })).toEqual([]);
  });

  it('file tools ask about it in mode allow', async () => {
    const folders = openHome();
    writeFileSync(join(folders.root, 's.mjs'), '');
    const servers = await openMcpServers(folders.own, systemClock);
    await servers.add('own', { command: 'node', args: [join(folders.root, 's.mjs')], env: {} });
    const { call } = await openTools({ folders, modes: { ...everythingAllowed, mcp: 'deny' } });
    const isAsked = async (filePath: string) =>
      confirmationText.safeDecode(textOf(await call('write_file', { filePath, content: 'x' }))).success;
    expect([await isAsked('s.mjs'), await isAsked('other.mjs')]).toEqual([true, false]);
  });
});

describeWith('bubblewrap')('NG-60 a command', () => {
  it('cannot change the program of a local MCP server, nor make it', async () => {
    const folders = makeFolders();
    writeFileSync(join(folders.root, 's.mjs'), 'mine');
    const servers = await openMcpServers(folders.own, systemClock);
    await servers.add('one', { command: 'node', args: [join(folders.root, 's.mjs')], env: {} });
    await servers.add('two', { command: 'node', args: [join(folders.root, 'later.mjs')], env: {} });
    const { run, root } = await openShell(folders);
    const { exitCode, notes } = await run('echo evil > later.mjs; echo evil > s.mjs');
    expect([exitCode === 0, readFileSync(join(root, 's.mjs'), 'utf8')]).toEqual([false, 'mine']);
    expect(notes?.join('\n')).toMatch(
      /programs of MCP servers[^]*later\.mjs was renamed to later\.mjs\.set-aside/,
    );
  });
});
