import { defaultModes, modes, type Mode } from '@drawbridge/contracts/groups';
import { describe, expect, it } from 'vitest';
import { access, at, everything } from '../../../test/support/policy-fixture.ts';
import { prepareDenials } from './deny.ts';
import { evaluate, evaluateAll } from './evaluate.ts';

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
      deny: prepareDenials([]),
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
