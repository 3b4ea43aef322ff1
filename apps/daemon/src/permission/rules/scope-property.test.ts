import { posix } from 'node:path';
import { defaultModes, type ToolGroup } from '@drawbridge/contracts/groups';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareDenials } from './deny.ts';
import { evaluate } from './evaluate.ts';
import type { Resource } from './resource.ts';
import type { Rule } from './rule.ts';

const everyAsk = { ...defaultModes, filesystemRead: 'ask', browser: 'ask', mcp: 'ask' } as const;

const isCovered = (rule: Rule, resource: Omit<Resource, 'description'>): boolean =>
  evaluate(
    { modes: everyAsk, deny: prepareDenials([]), allow: [rule], root: '/w' },
    { ...resource, description: '' },
  ) === 'allow';

const pathGroup = fc.constantFrom<ToolGroup>('filesystemRead', 'filesystemWrite');
const name = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'app',
    'app-evil',
    'APP',
    '.',
    '..',
    '',
    'app ',
    'app.',
    '\u0430pp',
    'app\u200b',
    '*',
    '%2e%2e',
  ),
  fc.string({ maxLength: 4 }),
);
const path = fc
  .tuple(fc.array(name, { maxLength: 5 }), fc.boolean())
  .map(([names, slash]) => `/w/${names.join('/')}${slash ? '/' : ''}`);

describe('an allow rule for a folder and below', () => {
  it('FS-19 covers nothing that does not lie there, however it is spelt', () => {
    fc.assert(
      fc.property(pathGroup, pathGroup, path, (of, group, resource) => {
        const rule: Rule = { toolGroup: of, resource: '/w/app/', reach: 'folder' };
        const isBelow = posix.resolve(resource).startsWith('/w/app/') || posix.resolve(resource) === '/w/app';
        if (isCovered(rule, { toolGroup: group, resource })) expect([of, isBelow]).toEqual([group, true]);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, ToolGroup, string, boolean]>([
    ['a file', 'filesystemWrite', '/w/app/a', true],
    ['a file deep below', 'filesystemWrite', '/w/app/b/c/d', true],
    ['a folder that is made', 'filesystemWrite', '/w/app/new', true],
    ['a folder with all in it', 'filesystemWrite', '/w/app/b/', false],
    ['the folder itself', 'filesystemWrite', '/w/app', false],
    ['the whole folder', 'filesystemWrite', '/w/app/', false],
    ['the folder itself, read', 'filesystemRead', '/w/app', true],
    ['the whole folder, read', 'filesystemRead', '/w/app/', true],
    ['FS-19 a sibling with the same beginning', 'filesystemWrite', '/w/app-evil/a', false],
    ['FS-19 a way out', 'filesystemWrite', '/w/app/../x', false],
    ['FS-19 a name twice', 'filesystemWrite', '/w/app//a', false],
    ['FS-19 another letter case', 'filesystemWrite', '/w/APP/a', false],
    ['FS-19 the folder above', 'filesystemRead', '/w/', false],
    ['FS-34 a secret in it', 'filesystemRead', '/w/app/.env', false],
    ['FS-25 what others run in it', 'filesystemWrite', '/w/app/package.json', false],
  ])('%s, %s %s: %s', (_name, toolGroup, resource, covered) => {
    const rule: Rule = { toolGroup, resource: '/w/app/', reach: 'folder' };
    expect(isCovered(rule, { toolGroup, resource })).toBe(covered);
  });

  it('is not offered where its folder is written crooked', () => {
    for (const resource of ['/w/app', '/w/app/../', '/w//app/', 'w/app/', '/w/./app/'])
      expect(
        isCovered(
          { toolGroup: 'filesystemRead', resource, reach: 'folder' },
          { toolGroup: 'filesystemRead', resource: '/w/app/a' },
        ),
      ).toBe(false);
  });
});

describe('BR-04 SS-15 an allow rule for a host', () => {
  const label = fc.constantFrom(
    'example',
    'org',
    'com',
    'evil',
    'docs',
    'EXAMPLE',
    '',
    'xn--e1afmkfd',
    '\u0435xample',
    '@',
    ':80',
    '#',
    '?',
  );
  const host = fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 5 }), fc.constantFrom('.', '@', '/', '\\\\'))
    .map(([labels, glue]) => labels.join(glue));

  it('with its subdomains never covers another domain', () => {
    const rule: Rule = { toolGroup: 'browser', resource: 'example.org', reach: 'subdomains' };
    fc.assert(
      fc.property(host, (resource) => {
        if (!isCovered(rule, { toolGroup: 'browser', resource })) return;
        const { hostname } = new URL(`https://${resource}`);
        expect(hostname.replace(/\.$/, '')).toMatch(/^(.+\.)?example\.org$/);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, boolean, boolean]>([
    ['example.org', true, true],
    ['docs.example.org', false, true],
    ['a.b.example.org', false, true],
    ['EXAMPLE.org', false, true],
    ['example.org.', false, true],
    ['example.org..', false, false],
    ['docs.example.org...', false, false],
    ['docs..example.org', false, false],
    ['https://example.org..', false, false],
    ['evilexample.org', false, false],
    ['.example.org', false, false],
    ['example.org.evil.com', false, false],
    ['example.com', false, false],
    ['org', false, false],
    ['https://example.org@evil.com', false, false],
    ['https://example.org.evil.com', false, false],
    ['example.org\\\\@evil.com', false, true],
    ['evil.com\\\\@example.org', false, false],
    ['\u0435xample.org', false, false],
    ['example.org:8443', false, false],
    ['2130706433', false, false],
    ['127.0.0.1', false, false],
  ])('%s: exactly %s, with subdomains %s', (resource, exactly, below) => {
    const rule = { toolGroup: 'browser' as const, resource: 'example.org' };
    const met = [rule, { ...rule, reach: 'subdomains' as const }].map((one) =>
      isCovered(one, { toolGroup: 'browser', resource }),
    );
    expect(met).toEqual([exactly, below]);
  });
});

describe('an allow rule for an MCP server', () => {
  const rule: Rule = { toolGroup: 'mcp', resource: 'files/*', reach: 'server', fingerprint: 'one' };

  it.each<[string, string, string | undefined, boolean]>([
    ['a tool of it', 'files/read', 'one', true],
    ['a tool of it, of another command', 'files/read', 'two', false],
    ['a tool of it that says nothing of its command', 'files/read', undefined, false],
    ['a tool of another server', 'files-evil/read', 'one', false],
    ['a tool of a server above', 'other/files/read', 'one', false],
  ])('%s', (_name, resource, serverFingerprint, covered) => {
    const tool = { toolGroup: 'mcp' as const, resource, ...(serverFingerprint && { serverFingerprint }) };
    expect(isCovered(rule, tool)).toBe(covered);
  });

  it('is not offered without the fingerprint of its command', () => {
    const { fingerprint: _none, ...open } = rule;
    expect(isCovered(open, { toolGroup: 'mcp', resource: 'files/read' })).toBe(false);
    expect(isCovered(open, { toolGroup: 'mcp', resource: 'files/read', serverFingerprint: 'one' })).toBe(
      false,
    );
  });
});

it('a mode of another group, or a resource that needs its own yes, is no way round', () => {
  const rule: Rule = { toolGroup: 'browser', resource: 'example.org', reach: 'subdomains' };
  const own = { toolGroup: 'browser' as const, resource: 'a.example.org', explicit: true as const };
  expect(isCovered(rule, own)).toBe(false);
  expect(isCovered({ toolGroup: 'browser', resource: 'a.example.org' }, own)).toBe(true);
});
