import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { nanoid } from 'nanoid';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { openTools, textOf } from '../../../../test/support/tool-fixture.ts';
import { literalCommands } from './literal-commands.ts';

const asking = 'GATEWAY_CONFIRMATION_REQUIRED::';
const isAsked = (result: ToolResult) => textOf(result).startsWith(asking);

const open = async () => {
  const world = await openTools({ modes: { shell: 'ask' } });
  const { root, outside, send } = world;
  for (const folder of ['sub', 'src']) mkdirSync(join(root, folder));
  for (const name of ['notes.txt', 'sub/a', 'src/b.ts']) writeFileSync(join(root, name), `${name}\n`);
  for (const name of ['s', 'build.sh', 'my script.sh', 'sub/run.sh', 'x.py', 'Makefile', 'p.awk'])
    writeFileSync(join(root, name), 'echo one\n', { mode: 0o755 });
  writeFileSync(join(outside, 'secret'), 'sesame\n');
  symlinkSync(outside, join(root, 'out'));
  symlinkSync(join(outside, 'secret'), join(root, 'key'));
  symlinkSync('sub', join(root, 'in'));
  const ask = (command: string, more: object = {}) =>
    send({ requestId: nanoid(), toolCall: { name: 'shell_execute', arguments: { command, ...more } } });
  const answer = async (command: string, _confirmation: string, reach?: string) => {
    const requestId = nanoid();
    const toolCall = { name: 'shell_execute', arguments: { command } };
    await send({ requestId, toolCall });
    const arguments_ = { ...toolCall.arguments, _confirmation };
    return send({
      requestId,
      ...(reach !== undefined && { reach }),
      toolCall: { ...toolCall, arguments: arguments_ },
    });
  };
  const optionsOf = async (
    command: string,
  ): Promise<{ options: string[]; reaches: { id: string; decisions: string[] }[] }> =>
    JSON.parse(textOf(await ask(command)).slice(asking.length)) as never;
  return { ...world, ask, answer, optionsOf };
};

describeWith('bubblewrap')('a lasting answer for a command', () => {
  const world = shared(open);
  const withWords = shared(async () => {
    const opened = await open();
    await opened.answer('cat notes.txt', 'alwaysAllow', 'words');
    return opened;
  });

  it.each([
    'sub/a',
    './sub/a',
    'in/a',
    'src/b.ts s',
    '-n sub/a',
    '-',
    '-- sub/a',
    'missing',
    'a:b',
    'user@host',
  ])('NG-05c: with further words covers what lies in the folder: %s', async (words) => {
    expect(isAsked(await withWords().ask(`cat notes.txt ${words}`))).toBe(false);
  });

  it('NG-05c: and the same by its absolute path', async () => {
    const { root, ask } = withWords();
    expect(isAsked(await ask(`cat notes.txt ${root}/sub/a`))).toBe(false);
  });

  it.each([
    ['an absolute path', '/etc/passwd'],
    ['one of the home folder', '~/.local/share/drawbridge/auth-secret'],
    ['the folder above', '../outside/secret'],
    ['above, from below', 'sub/../../outside/secret'],
    ['a link that leads out', 'out/secret'],
    ['a link to a file outside', 'key'],
    ['above a link', 'in/../notes.txt'],
    ['a variable', '$HOME/x'],
    ['a pattern', '/et?/passwd'],
    ['braces', '{/etc/passwd,x}'],
    ['a long option with a path', '--file=/etc/passwd'],
    ['a short option with a path', '-f/etc/passwd'],
    ['a short option with a link', '-fkey'],
    ['short options with the folder above', '-rf..'],
    ['a file that is named with @', '@/etc/passwd'],
    ['an address of a file', 'file:///etc/passwd'],
    ['an address', 'http://127.0.0.1/x'],
    ['a path after a colon', 'HEAD:/etc/passwd'],
    ['a link after a colon', 'x:key'],
    ['a link between colons', 'x:key:1'],
    ['a path after a comma', 'a,/etc/passwd'],
    ['two slashes', '//etc/passwd'],
    ['the kernel', '/proc/self/environ'],
    ['quotes', '"/etc/passwd"'],
    ['the last of many', `${'sub/a '.repeat(100)}/etc/passwd`],
    ['too many parts', 'a:a:a:a:a:a:a:a:a'],
  ])('NG-05c: with further words it asks about %s', async (_what, words) => {
    expect(isAsked(await withWords().ask(`cat notes.txt ${words}`))).toBe(true);
  });

  it('NG-05c: with further words it is not offered for a path outside', async () => {
    const { reaches } = await world().optionsOf('cat /etc/hostname');
    expect(reaches.map(({ id }) => id)).toEqual(['exact', 'exact-15-minutes']);
  });

  it.each([
    ['wc notes.txt --files0-from s'],
    ['du --files0-from s'],
    ['file -f s'],
    ['md5sum -c s'],
    ['sha256sum --check s'],
    ['git add --pathspec-from-file s'],
  ])('NG-05c: a file that names other files is no plain word: %s', async (command) => {
    const { reaches } = await world().optionsOf(command);
    expect(reaches.some(({ id }) => id === 'words')).toBe(false);
  });

  it.each([
    'ls -la src',
    'cat "notes.txt" | head -n 3 > copy',
    "grep -rn 'a b' src",
    'git status',
    'git commit -m "a change" && git log --oneline',
    'npm test',
    'npm run build && npm test -- --watch',
    'cd sub && npm test',
    'mkdir -p a/b; cp notes.txt a/b 2>/dev/null',
    'pytest -q',
    'cargo build --release',
    './build.sh now',
    'sh -e build.sh',
    'python3 -u x.py 2>&1',
  ])('NH-01: is offered for a plain command: %s', async (command) => {
    expect((await world().optionsOf(command)).options).toContain('alwaysAllow');
  });

  it.each([
    'cat s | sh',
    'sh "my script.sh"',
    'sh b*ild.sh',
    'sh $PWD/s',
    'make',
    'make -f s',
    `awk 'BEGIN{system("sh s")}'`,
    "git -c alias.x='!sh s' x",
    'git x',
    'sh < s',
    'sh <<E\n. ./s\nE',
    "sh -c '. ./s'",
    '. ./missing',
    'env sh s',
    'timeout 5 sh s',
    'find . -name s -exec sh {} +',
    'xargs -a s sh',
    'bash --init-file s build.sh',
    'python3 -m x',
    "node -e 'require(`./s`)'",
    'node -r ./s build.sh',
    'NODE_OPTIONS=-r./s node build.sh',
    'PATH=.:$PATH s',
    'cd sub && sh run.sh',
    'cp s build.sh && sh build.sh',
    'cp s package.json && npm test',
    'echo x > package.json; npm test',
    'npx s',
    'npm exec s',
    'rg --pre ./s x',
    'go vet -vettool=s',
    'gdb -x s',
    'tclsh s',
    `true ${'x '.repeat(300)}; sh -e ${'x '.repeat(300)} s`,
    '(sh s)',
    'sh s &',
    'sh `echo s`',
    'sh s{,}',
    'sh ~/s',
    'sh \\s',
  ])('NH-01: is offered for the session at most for %j', async (command) => {
    const { options, reaches } = await world().optionsOf(command);
    expect([options, ...reaches.map(({ decisions }) => decisions)].flat()).not.toContain('alwaysAllow');
    expect(options).toContain('allowForSession');
  });

  it('NH-01: an answer that was not offered is refused', async () => {
    expect(textOf(await world().answer('cat s | sh', 'alwaysAllow'))).toContain(
      'does not fit what was asked',
    );
    expect(textOf(await world().answer('cat s | sh', 'alwaysAllow', 'exact'))).toContain('does not fit');
    expect(isAsked(await world().answer('cat s | sh', 'alwaysDeny'))).toBe(false);
  });

  it.each(['sh build.sh', './build.sh'])('NH-01: lasts until the script changes: %s', async (command) => {
    const { answer, ask, root } = await open();
    await answer(command, 'alwaysAllow');
    expect(isAsked(await ask(command))).toBe(false);
    writeFileSync(join(root, 'build.sh'), 'echo two\n', { mode: 0o755 });
    expect(isAsked(await ask(command))).toBe(true);
  });
});

describe('the words of a command, where each stands for itself', () => {
  it.each<[string, [string[], boolean][] | undefined]>([
    ['ls -la a', [[['ls', '-la', 'a'], false]]],
    [`echo 'a b' "c d"e`, [[['echo', 'a b', 'c de'], false]]],
    ['a; b && c || d | e\nf', ['a', 'b', 'c', 'd', 'e', 'f'].map((word) => [[word], false])],
    ['a > f 2>&1 b', [[['a', 'b'], true]]],
    ['a >>f', [[['a'], true]]],
    ['a 2>/dev/null < f', [[['a'], true]]],
    ['a 2>&1', [[['a'], false]]],
    ['', []],
    ...[
      'a & b',
      'a |& b',
      'a << f',
      'a <(b)',
      'a >(b)',
      'a &> f',
      'X=1 a',
      '"a',
      "'a",
      '"$a"',
      '"`a`"',
      '"a\\"',
    ].map((text): [string, undefined] => [text, undefined]),
    ...[
      'a $b',
      'a `b`',
      'a *',
      'a ?',
      'a [b]',
      'a {b}',
      '~',
      'a #b',
      '!a',
      '(a)',
      'a \\b',
      'a >&f',
      'a\rb',
    ].map((text): [string, undefined] => [text, undefined]),
  ])('%j', (text, expected) => {
    expect(literalCommands(text)?.map(({ words, writes }) => [words, writes])).toEqual(expected);
  });
});
