import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode } from '@drawbridge/contracts/groups';
import { describe, expect, it, onTestFinished } from 'vitest';
import { access, at } from '../../../test/support/policy-fixture.ts';
import { deniedPaths } from './deny.ts';
import type { Resource } from './resource.ts';
import type { Rule } from './rule.ts';

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

const inFolder = (command: string) => at('shell', `"/w" $ ${command}`);
/** What the person has always allowed. */
const allow = ['ls', 'ls -la', 'find .'].map(inFolder);

describe('SH-26 a denial is before an allowance, whichever is wider', () => {
  it.each([
    ['ls', 'ls', 'deny'],
    ['ls -la', 'ls', 'deny'],
    ['ls', 'ls -la', 'allow'],
    ['find .', '"/w" $ find .', 'deny'],
  ])('%j with a denial of %j: %s', (command, denied, expected) => {
    expect(access(inFolder(command), { mode: 'ask', deny: [at('shell', denied)], allow })).toBe(expected);
  });
});

describe('SH-25 a denied program, in whatever way it is written', () => {
  it.each([
    'cu""rl x',
    '/usr/bin/curl x',
    '\\curl x',
    'env curl x',
    'ls; curl x',
    'echo $(curl x)',
    'echo "`curl x`"',
    'sh -c "curl x"',
    'if ls; then curl x; fi',
  ])('%j', (command) => {
    expect(access(inFolder(command), { mode: 'ask', deny: [at('shell', 'curl')], allow })).toBe('deny');
  });
});
