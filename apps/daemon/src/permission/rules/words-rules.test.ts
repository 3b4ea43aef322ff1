import { defaultModes } from '@drawbridge/contracts/groups';
import { describe, expect, it } from 'vitest';
import { prepareDenials } from './deny.ts';
import { evaluate } from './evaluate.ts';
import { plainCommand } from './plain-command.ts';
import { offerScopes, ruleInFull } from './scope.ts';
import { isValidRule } from './validate-rule.ts';

const inFolder = (command: string, folder = '/w') => `${JSON.stringify(folder)} $ ${command}`;
const call = (command: string, more: object = {}) => ({
  toolGroup: 'shell' as const,
  resource: inFolder(command),
  description: '',
  programFingerprint: 'p1',
  ...more,
});
const ruleFor = (command: string, fingerprint = 'p1') => ({
  toolGroup: 'shell' as const,
  resource: inFolder(command),
  reach: 'words' as const,
  fingerprint,
});

const access = (
  command: string,
  allowed: string,
  { more = {}, deny = [] }: { more?: object; deny?: string[] } = {},
) =>
  evaluate(
    {
      modes: { ...defaultModes, shell: 'ask' },
      deny: prepareDenials(deny.map((resource) => ({ toolGroup: 'shell', resource }))),
      allow: [ruleFor(allowed)],
      root: '/w',
    },
    call(command, more),
  );

it.each([
  ['npm test', 'npm test'],
  ['npm test', 'npm test src/a.test.ts'],
  ['npm test', 'npm test -- --watch -t name'],
  ['npm run build', 'npm run build web'],
  ['pnpm test', 'pnpm test unit'],
  ['git status', 'git status -s src'],
  ['git log', 'git log --oneline -n 5 HEAD'],
  ['ls', 'ls -la src/a+b'],
  ['grep -rn needle', 'grep -rn needle src'],
  ['cargo test', 'cargo test parser -- --nocapture'],
  ['go test ./...', 'go test ./... ./cmd'],
  ['make', 'make lint'],
])('a rule for %j covers %j', (allowed, command) => {
  expect(access(command, allowed)).toBe('allow');
});

describe('SH-41 further words are plain words', () => {
  it.each([
    ['; id', '&& id', '| sh', '& id', '|& sh', '\nid', '\r\nid', '> f', '< f', '>> ~/.bashrc', '2>f'],
    ['$(id)', '`id`', '${x}', '$x', '"$(id)"', '"a b"', "'a'", '\\;', '\\\nid', 'a\\ b', '$((1))', '<(id)'],
    ['*', '?', '[a]', '{a,b}', '~', '~/x', 'a~', '#', '# id', '!', '!!', '!id', '=ls', 'X=1', '--a=b'],
    ['^a^b', '%1', '(id)', '{ id', 'a;b', 'a&b', 'a|b', '\u00a0x', 'x\u200b', '\u0430', '\uff1b', '\u2010x'],
    ['\tx', ' x', 'x ', '', '\u0000', '\u001b[2J', 'e\u0301', '\ud800'],
  ])('%j, …', (...all) => {
    for (const words of all)
      expect([words, access(`ls ${words}`, 'ls'), access(`npm test ${words}`, 'npm test')]).toEqual([
        words,
        'ask',
        'ask',
      ]);
  });

  it.each([
    'LS',
    'Ls',
    'l\u017f',
    '\uff4c\uff53',
    'ls\u200b',
    './ls',
    '/bin/ls',
    '../ls',
    '~/ls',
    'X=1 ls',
    'lsx',
    'l s',
  ])('%j is another program than ls', (command) => {
    expect(access(command, 'ls')).toBe('ask');
  });

  it.each([
    ['npm tes', 'npm test'],
    ['npm testx', 'npm test'],
    ['npm', 'npm test'],
    ['test npm', 'npm test'],
    ['npm run test', 'npm test'],
    ['npm exec evil', 'npm test'],
    ['npm  test', 'npm test'],
    ['git log', 'git status'],
  ])('%j is not below %j', (command, allowed) => {
    expect(access(command, allowed)).toBe('ask');
  });

  it('nor in another folder, nor with another file behind the name, nor outside the sandbox', () => {
    expect(access('ls a', 'ls', { more: { resource: inFolder('ls a', '/w/sub') } })).toBe('ask');
    expect(access('ls a', 'ls', { more: { resource: inFolder('ls a', '/w ') } })).toBe('ask');
    expect(access('ls a', 'ls', { more: { programFingerprint: 'p2' } })).toBe('ask');
    expect(access('ls a', 'ls', { more: { programFingerprint: undefined } })).toBe('ask');
    expect(access('ls a', 'ls', { more: { programFingerprint: undefined, fingerprint: 'no-sandbox' } })).toBe(
      'ask',
    );
  });

  it('a denial wins', () => {
    expect(access('npm test src', 'npm test', { deny: ['npm'] })).toBe('deny');
    expect(access('npm test src', 'npm test', { deny: ['npm test src'] })).toBe('deny');
  });

  it('the exact rule stays exact', () => {
    const exact = { toolGroup: 'shell' as const, resource: inFolder('ls') };
    const policy = {
      modes: { ...defaultModes, shell: 'ask' as const },
      deny: prepareDenials([]),
      allow: [exact],
      root: '/w',
    };
    expect(evaluate(policy, call('ls'))).toBe('allow');
    expect(evaluate(policy, call('ls a'))).toBe('ask');
  });
});

/** Each of them leads to a program that was not shown. */
const leading = [
  ['sh', 'sh x', 'bash x', 'zsh', 'env', 'env ls', 'xargs ls', 'sudo ls', 'doas ls', 'nohup ls'],
  [
    'nice ls',
    'timeout 1 ls',
    'time ls',
    'command ls',
    'exec ls',
    'builtin echo',
    'eval ls',
    'source x',
    '. x',
    'busybox sh',
  ],
  [
    'watch ls',
    'script x',
    'node x.js',
    'node -e 1',
    'python3 x.py',
    'perl x',
    'ruby x',
    'php x',
    'lua x',
    'deno run x',
  ],
  [
    'bun x',
    'tsx x',
    'npx x',
    'awk x f',
    'gawk x',
    'sed e f',
    'sed p f',
    'find .',
    'find . -exec id',
    'tar xf a --to-command sh',
  ],
  [
    'tar xf a',
    'rsync -e sh a b',
    'ssh -o ProxyCommand h',
    'vim x',
    'less x',
    'man ls',
    'gdb x',
    'parallel ls',
    'docker run x',
    'git',
  ],
  [
    'git -c x status',
    'git -C x status',
    'git --exec-path x log',
    'git --git-dir x log',
    'git -p log',
    'git commit',
    'git config x y',
    'git grep -O x',
    'git bisect run x',
    'git submodule foreach x',
  ],
  [
    'git rebase -x id',
    'git difftool -x id',
    'git clone x',
    'git archive --exec x',
    'git ls-remote --upload-pack x y',
    'git x',
    'git push',
    'git pull',
    'git fetch x',
    'git log --ext-diff',
  ],
  [
    'git log --ext',
    'git diff --textconv',
    'git diff --text',
    'git log --output x',
    'git log --outp x',
    'git branch --edit-description',
    'git branch --edit',
    'git add -e',
    'git add -pe',
    'git show -Ox',
  ],
  [
    'git diff --exec x',
    'npm',
    'npm exec x',
    'npm x y',
    'npm run',
    'npm run -- x',
    'npm run env',
    'npm run env -- sh',
    'npm --prefix x test',
    'npm test --prefix x',
  ],
  [
    'npm test --script-shell sh',
    'npm test --node-options x',
    'npm -C x test',
    'npm install x',
    'npm explore x',
    'npm init x',
    'npm start x',
    'npm config set x y',
    'npm constructor',
    'npm toString',
  ],
  [
    '__proto__',
    'constructor',
    'pnpm dlx x',
    'pnpm exec x',
    'pnpm -C x test',
    'pnpm test -C x',
    'pnpm run env',
    'yarn run x',
    'yarn node x',
    'yarn test --cwd x',
  ],
  [
    'cargo run',
    'cargo test --config x',
    'cargo +nightly test',
    'cargo build --manifest-path x',
    'cargo clippy --fix x',
    'go run x',
    'go test -exec sh',
    'go build -toolexec x',
    'go generate',
    'go vet -vettool x',
  ],
  [
    'make -f x',
    'make --eval x',
    'make SHELL=sh',
    'pytest -p x',
    'pytest -c x',
    'ruff check --config x',
    'rg --pre sh x',
    'rg -z x',
    'sort --compress-program sh x',
    'sort --compress-prog sh x',
  ],
  ['rm x', 'mv a b', 'cp a b', 'ln a b', 'chmod x y', 'dd x', 'tee x', 'kill 1', 'cd x', 'export x'],
  ['alias x'],
];

describe('SH-42 programs that run others are never allowed with further words', () => {
  it.each(leading)('%j, …', async (...commands) => {
    for (const command of commands) {
      const reaches = await offerScopes([call(command)], { root: '/w' });
      expect({
        command,
        plain: plainCommand(command),
        isValidRule: await isValidRule(ruleFor(command)),
        access: access(command, command),
        isOffered: reaches.some(({ reach }) => reach.scope === 'words'),
      }).toEqual({ command, plain: undefined, isValidRule: false, access: 'ask', isOffered: false });
    }
  });

  it('a rule that was written into the file does not hold without the file of its program', async () => {
    expect(await isValidRule({ ...ruleFor('ls'), fingerprint: undefined })).toBe(false);
    expect(await isValidRule(ruleFor('ls'))).toBe(true);
  });
});

it('is offered beside exactly this command', async () => {
  const offered = await offerScopes([call('npm test')], { root: '/w' });
  expect(offered.map(({ reach: { id, label } }) => [id, label])).toEqual([
    ['exact', 'run only this exact command in /w'],
    ['exact-15-minutes', 'run only this exact command in /w'],
    ['words', 'run `npm test` with any further plain words in /w'],
    ['words-15-minutes', 'run `npm test` with any further plain words in /w'],
  ]);
  expect(ruleInFull(ruleFor('npm test'))).toBe('run `npm test` with any further plain words in /w');
});

it('a long command is read once, and no further', () => {
  expect(plainCommand(`ls ${'a '.repeat(150)}a`)).toBeDefined();
  expect(plainCommand(`ls ${'a '.repeat(200)}a`) ?? plainCommand(`ls ${'a'.repeat(4_096)}`)).toBeUndefined();
});
