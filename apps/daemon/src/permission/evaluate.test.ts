import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultModes, modes, type Mode, type ToolGroup } from '@drawbridge/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { evaluate, evaluateAll } from './evaluate.ts';
import type { Resource } from './resource.ts';
import { deniedPaths, prepareDenials } from './deny.ts';
import type { Rule } from './rules.ts';

const at = (toolGroup: ToolGroup, resource: string, ...aliases: string[]): Resource => ({
  toolGroup,
  resource,
  description: '',
  aliases,
});
const everything = (mode: Mode) => ({
  filesystemRead: mode,
  filesystemWrite: mode,
  shell: mode,
  computer: mode,
  browser: mode,
  mcp: mode,
  system: mode,
});

const access = (
  resource: Resource,
  settled: { mode?: Mode; deny?: (Resource & Pick<Rule, 'reach'>)[]; allow?: Resource[] },
) =>
  evaluate(
    {
      modes: everything(settled.mode ?? 'allow'),
      deny: prepareDenials(settled.deny ?? []),
      allow: settled.allow ?? [],
      root: '/w',
    },
    resource,
  );

describe('SH-26 precedence: group deny > deny rule > allow rule > mode', () => {
  const combinations = modes.flatMap((mode) =>
    [true, false].flatMap((deny) =>
      [true, false].map((allow): [Mode, boolean, boolean] => [mode, deny, allow]),
    ),
  );

  it.each(combinations)('mode %s, deny rule %s, allow rule %s', (mode, deny, allow) => {
    const resource = at('filesystemWrite', '/w/a');
    const expected = mode === 'deny' || deny ? 'deny' : allow ? 'allow' : mode;
    expect(access(resource, { mode, deny: deny ? [resource] : [], allow: allow ? [resource] : [] })).toBe(
      expected,
    );
  });

  it.each<[Mode, boolean, Mode]>([
    ['allow', false, 'ask'],
    ['allow', true, 'allow'],
    ['ask', false, 'ask'],
    ['ask', true, 'allow'],
    ['deny', true, 'deny'],
  ])('what needs its own yes: mode %s, allow rule %s -> %s', (mode, allow, expected) => {
    const resource = { ...at('browser', 'localhost:3000'), explicit: true as const };
    expect(access(resource, { mode, allow: allow ? [resource] : [] })).toBe(expected);
  });

  it('who may not read may not write', () => {
    const policy = {
      modes: { ...everything('allow'), filesystemRead: 'deny' as const },
      deny: [],
      allow: [],
      root: '/w',
    };
    expect(evaluate(policy, at('filesystemWrite', '/w/a'))).toBe('deny');
    expect(access(at('filesystemWrite', '/w/a'), { deny: [at('filesystemRead', '/w')] })).toBe('deny');
    expect(access(at('filesystemRead', '/w/a'), { deny: [at('filesystemWrite', '/w')] })).toBe('allow');
  });
});

describe('allow is narrow', () => {
  it.each([
    ['/w/a.txt', 'allow'],
    ['/w/a.txt/..', 'ask'],
    ['/w/A.txt', 'ask'],
    ['/w/a.txt\n', 'ask'],
    ['/w/a.txt/', 'ask'],
    ['/w/b.txt', 'ask'],
  ])('FS-19 a rule for /w/a.txt and %j: %s', (resource, expected) => {
    expect(
      access(at('filesystemWrite', resource), { mode: 'ask', allow: [at('filesystemWrite', '/w/a.txt')] }),
    ).toBe(expected);
  });

  it('what stands behind the name is part of what was allowed', () => {
    const tool = (fingerprint?: string) => ({
      ...at('mcp', 'files/read'),
      ...(fingerprint && { fingerprint }),
    });
    const settled = { mode: 'ask' as const, allow: [tool('one')] };
    expect(access(tool('one'), settled)).toBe('allow');
    expect(access(tool('two'), settled)).toBe('ask');
    expect(access(tool(), settled)).toBe('ask');
    expect(access(tool('two'), { deny: [tool('one')] })).toBe('deny');
  });

  it('FS-19 another spelling or another group is not covered', () => {
    const allow = [at('filesystemWrite', '/w/a.txt')];
    expect(access(at('filesystemWrite', '/w/real', '/w/a.txt'), { mode: 'ask', allow })).toBe('ask');
    expect(access(at('filesystemRead', '/w/a.txt'), { mode: 'ask', allow })).toBe('ask');
  });

  it.each([
    ['"/w" $ rm "a b"', 'allow'],
    ['"/w" $ rm "a  b"', 'ask'],
    ['"/w" $ rm\t"a b"', 'ask'],
    ['"/w" $ rm "a b" ', 'ask'],
    ['"/w" $ rm\u00a0"a b"', 'ask'],
    ['"/w/x" $ rm "a b"', 'ask'],
    ['"/w" $ rm "a b"; id', 'ask'],
    ['"/w" $ X=1 rm "a b"', 'ask'],
  ])('SH-05 a rule for one command and %j: %s', (resource, expected) => {
    expect(access(at('shell', resource), { mode: 'ask', allow: [at('shell', '"/w" $ rm "a b"')] })).toBe(
      expected,
    );
  });
});

describe('deny is broad', () => {
  it.each([
    ['/w/secret', 'deny'],
    ['/w/secret/deep/a', 'deny'],
    ['/w/SECRET', 'deny'],
    ['/w/se\u200bcret', 'deny'],
    ['/w/secrets', 'allow'],
    ['/w/', 'deny'],
    ['/', 'deny'],
    ['/w', 'allow'],
    ['/x/', 'allow'],
  ])('FS-20 a rule for the folder /w/secret and a write to %j: %s', (resource, expected) => {
    expect(access(at('filesystemWrite', resource), { deny: [at('filesystemWrite', '/w/secret')] })).toBe(
      expected,
    );
  });

  it('FS-21 holds for the path as it was given and for where it leads', () => {
    expect(
      access(at('filesystemRead', '/w/real', '/w/link'), { deny: [at('filesystemRead', '/w/link')] }),
    ).toBe('deny');
    expect(
      access(at('filesystemRead', '/w/real', '/w/link'), { deny: [at('filesystemRead', '/w/real')] }),
    ).toBe('deny');
  });

  it('FS-21 a rule for a link holds for what the link points at', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    const deny = [at('filesystemRead', join(folder, 'link'))];
    expect(access(at('filesystemRead', join(folder, 'real/a')), { deny })).toBe('deny');
  });

  it.each([
    'rm a',
    'sudo rm a',
    'X=1 rm a',
    'X=1 /bin/rm a',
    'r""m a',
    '\\rm a',
    "'rm' a",
    'env X=1 rm a',
    'ls; rm a',
    'ls && rm a',
    'ls | xargs rm',
    'ls\nrm a',
    'echo $(rm a)',
    'echo "$(rm a)"',
    'echo `rm a`',
    'sh -c "rm a"',
    "bash -c 'ls; rm a'",
    'timeout 5 nice -n 3 rm a',
    'sudo -u bob rm a',
    'if true; then rm a; fi',
    '(rm a)',
    '{ rm a; }',
    'RM a',
    'r\u200bm a',
    'busybox rm a',
    'find . -exec rm {} +',
    `${'true; '.repeat(500)}rm a`,
  ])('SH-25 and SH-33 a rule for rm meets %j', (command) => {
    const resource = at('shell', `"/w" $ ${command}`);
    expect(access(resource, { deny: [{ toolGroup: 'shell', resource: 'rm', description: '' }] })).toBe(
      'deny',
    );
  });

  it.each(['ls', 'echo rm', 'git rm a', 'rmdir a', 'cat rm.txt'])(
    'a rule for rm leaves %j alone',
    (command) => {
      expect(access(at('shell', `"/w" $ ${command}`), { deny: [at('shell', 'rm')] })).toBe('allow');
    },
  );

  it('a rule that was stored from a question holds in every folder and with more arguments', () => {
    const deny = [at('shell', '"/w" $ curl evil.example')];
    expect(access(at('shell', '"/w/x" $ sudo curl evil.example -o f'), { deny })).toBe('deny');
    expect(access(at('shell', '"/w" $ curl good.example'), { deny })).toBe('allow');
    const either = [at('shell', '"/w" $ cd x; curl evil.example')];
    expect(access(at('shell', '"/w" $ curl evil.example'), { deny: either })).toBe('deny');
  });

  it.each([10_001, 100_000])('SH-32 a command of %d characters is looked at, however it nests', (length) => {
    for (const part of ['$(', '(', '"', '`', 'a ', '\\', 'sh -c ']) {
      expect(
        access(at('shell', `"/w" $ ${part.repeat(length / part.length)}`), {
          mode: 'ask',
          deny: [at('shell', 'rm')],
        }),
      ).toBe('ask');
    }
  });
});

describe('BR-04 a denied host is denied however it is written', () => {
  const host = (resource: string, reach?: 'subdomains'): Resource & Pick<Rule, 'reach'> => ({
    ...at('browser', resource),
    ...(reach && { reach }),
  });

  it.each<[string, 'subdomains' | undefined, string, Mode]>([
    ['good.example', undefined, 'good.example', 'deny'],
    ['good.example', undefined, 'good.example:8443', 'deny'],
    ['good.example:8443', undefined, 'good.example', 'deny'],
    ['GOOD.example.', undefined, 'good.example', 'deny'],
    ['good.example', undefined, 'good.example..', 'deny'],
    ['good.example..', undefined, 'good.example', 'deny'],
    ['good.example', undefined, 'a.good.example', 'allow'],
    ['good.example', undefined, 'evil.example', 'allow'],
    ['good.example', 'subdomains', 'good.example', 'deny'],
    ['good.example', 'subdomains', 'a.good.example', 'deny'],
    ['good.example', 'subdomains', 'a.b.good.example:8443', 'deny'],
    ['good.example', 'subdomains', 'a.good.example...', 'deny'],
    ['good.example', 'subdomains', 'evilgood.example', 'allow'],
    ['good.example', 'subdomains', 'good.example.evil', 'allow'],
    ['good.example', 'subdomains', 'not a host', 'allow'],
    ['not a host', undefined, 'good.example', 'allow'],
  ])('a rule for %s (reach %s) and %s: %s', (denied, reach, asked, expected) => {
    expect(access(at('browser', asked), { deny: [host(denied, reach)] })).toBe(expected);
  });

  it.each<[string, Mode]>([
    ['files/read', 'deny'],
    ['Files/Read', 'deny'],
    ['files', 'allow'],
    ['files2/read', 'allow'],
  ])('a rule for all tools of the MCP server files and %s: %s', (asked, expected) => {
    const server = { ...at('mcp', 'files/*'), reach: 'server' as const };
    expect(access(at('mcp', asked), { deny: [server] })).toBe(expected);
  });
});

describe('the paths that are kept from every tool', () => {
  it('are those of path rules, with where they lead; what may not be read may not be written', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    const rules = [
      at('filesystemRead', join(folder, 'link')),
      at('filesystemWrite', join(folder, 'real/sub/')),
      at('shell', '/bin/rm'),
      at('browser', '/not-a-path'),
    ];
    const read = [join(folder, 'link'), join(folder, 'real')];
    expect(deniedPaths(rules)).toEqual({ read, write: [...read, join(folder, 'real/sub')] });
  });

  it('a rule that forbids to write says nothing about reading, and one about reading forbids to write', () => {
    expect(access(at('filesystemRead', '/w/a'), { deny: [at('filesystemWrite', '/w/a')] })).toBe('allow');
    expect(access(at('filesystemWrite', '/w/a'), { deny: [at('filesystemRead', '/w/a')] })).toBe('deny');
    expect(access(at('shell', '/w/a'), { deny: [at('filesystemRead', '/w/a')] })).toBe('allow');
  });
});

describe('all resources of a call', () => {
  const [yes, ask, no] = [
    at('filesystemRead', '/w/a'),
    at('filesystemWrite', '/w/b'),
    at('filesystemWrite', '/w/no'),
  ];
  const policy = { modes: defaultModes, deny: prepareDenials([no]), allow: [], root: '/w' };

  it.each([
    ['only allowed', [yes], { kind: 'run' }],
    ['some to ask', [yes, ask], { kind: 'ask', asking: [ask] }],
    ['CF-04 one denied', [yes, ask, no], { kind: 'denied', resource: no }],
    ['nothing', [], { kind: 'run' }],
  ])('%s', (_case, resources, expected) => {
    expect(evaluateAll(policy, resources)).toEqual(expected);
  });
});
