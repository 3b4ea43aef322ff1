import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber, withoutKeys } from './scrub.ts';

const tail = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345';
const key = `sess_${tail}`;

/** What the server gives out begins with one of these. */
const prefixes = [
  'gw',
  'sess',
  'setup',
  'invite',
  'reset',
  'whsec',
  'dbt',
  'dbo',
  'dbr',
  'dbs',
  'dbp',
  'dbw',
];

describe('what is taken out of a text', () => {
  it.each(prefixes)('LG-03 LG-04 a token that begins with %s_, in each spelling', (prefix) => {
    for (const underscore of ['_', '%5f', '%5F', '\\u005f'])
      for (const text of [`${prefix}${underscore}${tail}`, `a${prefix}${underscore}${tail}z`])
        expect(withoutKeys(text)).not.toContain(tail);
  });

  it.each([
    ['a token of the server', `dbt_${tail} reset_${tail}`],
    ['the proof of a session', `dbp_${tail}`],
    ["a client's tokens and its secret", `dbo_${tail} dbr_${tail} dbs_${tail}`],
    ['a code in an address', `GET /callback?code=${tail}&state=1`],
    ['a verifier', `code_verifier=${tail}`],
    ['a pairing token', `token gw_${tail} refused`],
    ['a session key in a URL', `GET /events?apiKey=${key}&x=1`],
    ['a key of another form in a URL', `GET /events?apiKey=${tail}`],
    ['a URL-encoded one', `%3FapiKey%3Dsess%5f${tail}`],
    ['the secret of a webhook, in base64', `whsec_ab+c/${tail}=`],
    ['one with a JSON escape', `{"a":"sess\\u005f${tail}"}`],
    ['one in a stack', `Error: gw_${tail}\\n    at gw_${tail}:1:1`],
    ['a doubled one', `gw_${tail}gw_${tail}`],
    ['a header', `{"authorization":"Bearer ${tail}"}`],
    ['a header in text', `x-gateway-key: ${tail}`],
    ['a cookie', `cookie: a=${tail}`],
    ['a password in a nested text', `{"body":"{\\"password\\":\\"${tail}\\"}"}`],
    ['a key of a model provider', `sk-${tail}`],
    ['a token of a code host', `ghp_${tail}`],
    ['a signed token', `eyJhbGciOiJIUzI1NiJ9.${tail}.${tail}`],
  ])('LG-03 LG-04 %s', (_name, text) => {
    expect(withoutKeys(text)).not.toContain(tail);
  });

  it.each([['session of 4 machines'], ['gw_ is a prefix'], ['read_file  src/tokens.ts  12 ms']])(
    'is not %s',
    (text) => expect(withoutKeys(text)).toBe(text),
  );

  it('uses the mask that it was given', () => {
    expect(withoutKeys(`gw_${tail} cookie: ${tail}`, '[hidden]')).toBe('gw_[hidden] cookie: [hidden]');
  });

  it('LG-04 a hidden value, in any of its spellings, anywhere in the text', () => {
    const { hide, scrub } = createScrubber();
    const secret = 'a "known" value/with+signs';
    hide(secret);
    const spelt = (before: string) => [
      `${before}${secret}`,
      `${before}${encodeURIComponent(secret)}`,
      JSON.stringify(`${before}${secret}`),
      Buffer.from(`${before}${secret}`).toString('hex'),
    ];
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
        for (const text of spelt(before)) {
          expect(scrub(text + after)).not.toMatch(/known|6b6e6f776e/);
        }
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = Buffer.from(`${before}${secret}${after}`).toString(encoding);
          expect(Buffer.from(scrub(text).replace('…', ''), encoding).toString('latin1')).not.toContain(
            'known',
          );
        }
      }),
    );
  });

  it.each([
    ['blanks', 'cookie'.padEnd(2_000_000, ' ')],
    ['names', 'cookie:'.repeat(300_000)],
    ['prefixes', 'gw_'.repeat(600_000)],
    ['quotes', 'password\\"'.repeat(200_000)],
    ['beginnings of a signed token', 'eyJaaaaaaaaaa'.repeat(200_000)],
  ])('LG-04 in time that grows with the length: %s', (_name, text) => {
    expect(withoutKeys(text).length).toBeGreaterThan(0);
  });
});
