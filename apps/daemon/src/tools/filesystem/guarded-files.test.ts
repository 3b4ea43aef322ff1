import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { expect, it } from 'vitest';
import { everythingAllowed, textOf, openTools } from '../../../test/support/tool-fixture.ts';

const open = async () => {
  const world = await openTools({
    modes: { ...everythingAllowed, shell: 'allow' },
    toolsets: { shellSandbox: false },
  });
  mkdirSync(join(world.root, 'app'));
  writeFileSync(join(world.root, 'app/.env'), 'KEY=secret-word\n');
  writeFileSync(join(world.root, 'app/a.txt'), 'no secret-word here\n');
  writeFileSync(join(world.root, 'app/package.json'), '{}');
  return world;
};

it.each<[string, Record<string, unknown>, string]>([
  ['read_file', { filePath: 'app/.env' }, 'FS-34'],
  ['export_file', { filePath: 'app/.env' }, 'FS-34'],
  ['edit_file', { filePath: 'app/.env', oldString: 'KEY', newString: 'X' }, 'FS-34'],
  ['copy_file', { sourcePath: 'app/.env', destinationPath: 'app/b.txt' }, 'FS-34'],
  ['move', { sourcePath: 'app/.env', destinationPath: 'app/b.txt' }, 'FS-34'],
  ['write_file', { filePath: 'app/package.json', content: '{ }' }, 'FS-25'],
  ['move', { sourcePath: 'app/a.txt', destinationPath: 'app/start.desktop' }, 'FS-25'],
])('%s %j asks in mode allow, and the question shows nothing of a secret (%s)', async (name, args) => {
  const { call } = await open();
  const question = textOf(await call(name, args));
  expect(confirmationText.decode(question).description).toContain('(careful: ');
  expect(question).not.toContain('secret-word');
});

it('NG-02 a program that the configuration of git names asks in mode allow', async () => {
  const { call, root } = await open();
  mkdirSync(join(root, '.git'));
  writeFileSync(
    join(root, '.git/config'),
    '[filter "x"]\n\tclean = ./tools/clean.sh\n[core]\n\thooksPath = my\n',
  );
  const isAsked = async (filePath: string) =>
    confirmationText.safeDecode(textOf(await call('write_file', { filePath, content: 'x' }))).success;
  expect(await Promise.all(['tools/clean.sh', 'my/pre-commit', 'tools/other.sh'].map(isAsked))).toEqual([
    true,
    true,
    false,
  ]);
});

const asked = (text: string): string[] =>
  confirmationText.safeDecode(text).success
    ? (confirmationText.decode(text).resources ?? []).map(
        ({ toolGroup, resource }) => `${toolGroup} ${resource}`,
      )
    : [];

it.each([
  'cat app/.env',
  'cd app && cat .env',
  'cat app/.e""nv',
  'cat app/.en\\v',
  'grep KEY app/.env*',
  'node --env-file=app/.env a.js',
  'cat linked',
  'sh -c "head -1 app/.env"',
])('SH-45 with commands on allow %s asks about the file that it names', async (command) => {
  const { call, root } = await open();
  symlinkSync('app/.env', join(root, 'linked'));
  const named = command.includes('*') ? '.env' : join(root, 'app/.env');
  const [first, ...others] = asked(textOf(await call('shell_execute', { command })));
  expect([first, others]).toEqual([expect.stringMatching(/^filesystemRead .*\.env$/), []]);
  expect(first).toContain(named);
});

it.each([
  'echo "$npm_config.env"',
  'jq .key app/package.json',
  'cat app/a.txt',
  'cat app/.env.example',
  'cat missing/.env',
])('with commands on allow %s asks nothing', async (command) => {
  const { call } = await open();
  expect(asked(textOf(await call('shell_execute', { command })))).toEqual([]);
});

it('FS-34 a search names a secret and shows nothing of it; the rest is as ever', async () => {
  const { call } = await open();
  const found = textOf(await call('search_files', { name: '**/*', query: 'secret-word' }));
  expect(JSON.parse(found)).toMatchObject({ matches: [{ path: 'app/a.txt' }], totalMatches: 1 });
  expect(textOf(await call('search_files', { name: '**/.env' }))).toContain('app/.env');
  expect(textOf(await call('read_file', { filePath: 'app/package.json' }))).toContain('{}');
});
