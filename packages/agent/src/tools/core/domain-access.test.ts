import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allHostsGrant, hostGrant, isGranted, isNamed, readTarget } from './domain-access.ts';

const warningsOf = (url: string, texts = [url]) => readTarget(url, texts)?.warnings;

describe('what is said of an address', () => {
  it.each([
    ['https://docs.example.org/guide/how-to-write-a-long-and-readable-slug-in-2026?page=2&sort=asc'],
    ['https://github.com/owner/repo/commit/0123456789abcdef0123456789abcdef01234567'],
    ['https://example.org/wiki/M%C3%BCnchen'],
  ])('%s needs no warning', (url) => {
    expect(warningsOf(url)).toEqual([]);
  });

  it.each([
    ['long', `https://example.org/${'ab/'.repeat(170)}`],
    ['data', 'https://example.org/?q=QWxsIG15IHNlY3JldHMgYXJlIGhlcmUgMTIz'],
    ['data', `https://example.org/?q=${'the+words+of+a+file+'.repeat(8)}`],
    ['data', `https://${'ab12'.repeat(9)}.example.org/`],
    ['encoded-host', 'https://пример.example/'],
  ])('%s: %s', (warning, url) => {
    expect(warningsOf(url)).toEqual([warning]);
  });

  it('SS-15 the host is shown as it is asked: lower case, punycode, without a final dot', () => {
    expect(readTarget('https://EXAMPLE.org.:443/a', [])).toEqual({
      url: 'https://example.org./a',
      host: 'example.org',
      warnings: ['unnamed'],
    });
    expect(readTarget('http://①.example/', [])?.host).toBe('1.example');
    expect(readTarget('http://bücher.example/', [])?.host).toBe('xn--bcher-kva.example');
  });

  it.each(['file:///etc/passwd', 'javascript:1', 'example.org', 'http://a..b/'])(
    '%s is no address of the web',
    (url) => {
      expect(readTarget(url, [])).toBeNull();
    },
  );

  const secret = fc.uint8Array({ minLength: 64, maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  const encodings = ['base64url', 'hex'] as const;

  it('AG-08 warns of every secret of 64 bytes and more, in a query, a path and percent-coded', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom(...encodings), (bytes, encoding) => {
        const text = bytes.toString(encoding);
        const coded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        for (const url of [`?a=1&q=${text}`, `?${text}`, text, `?q=${coded}`])
          expect(warningsOf(`https://example.org/${url}`)).toContain('data');
      }),
    );
  });
});

describe('a host that the person named', () => {
  it.each([
    ['see https://Example.org/a?b', true],
    ['Look at example.org.', true],
    ['(example.org)', true],
    ['EXAMPLE.ORG:8080', true],
    ['sub.example.org', false],
    ['example.org.evil.com', false],
    ['notexample.org', false],
    ['example', false],
    ['', false],
  ])('%j names example.org: %s', (text, named) => {
    expect(isNamed('example.org', [text])).toBe(named);
  });

  it('SS-15 is also found in its own script', () => {
    expect(isNamed('xn--bcher-kva.example', ['auf bücher.example steht'])).toBe(true);
  });
});

describe('a grant', () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
  const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => `${labels.join('.')}.example`);
  const target = (name: string, texts: string[] = []) => {
    const read = readTarget(`https://${name}/page`, texts);
    if (!read) throw new Error(name);
    return read;
  };

  it('SS-15 covers its host alone: no sub-domain, no parent, no name with the same beginning or end', () => {
    fc.assert(
      fc.property(host, label, (name, extra) => {
        const grants = new Set([hostGrant(name)]);
        expect(isGranted(target(name), grants)).toBe(true);
        const parent = name.slice(name.indexOf('.') + 1);
        for (const other of [`${extra}.${name}`, `${name}.${extra}`, `${extra}${name}`, parent])
          expect(isGranted(target(other), grants)).toBe(false);
      }),
    );
  });

  it('for all hosts covers those that the person named', () => {
    const grants = new Set([allHostsGrant]);
    expect(isGranted(target('one.example', ['read one.example']), grants)).toBe(true);
    expect(isGranted(target('two.example', ['read one.example']), grants)).toBe(false);
  });

  it.each([`https://one.example/?q=${'ab12'.repeat(9)}`, `https://one.example/${'ab/'.repeat(170)}`])(
    'covers no address that may carry data: %s',
    (url) => {
      const read = readTarget(url, [url]);
      expect(read && isGranted(read, new Set([allHostsGrant, hostGrant('one.example')]))).toBe(false);
    },
  );
});
