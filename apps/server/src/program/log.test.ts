import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, createScrubber } from './log.ts';

const tail = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345';
const known = 'a "known" value/with+signs and more';
const { scrub } = createScrubber([known]);

describe('the content of a log line', () => {
  it.each([
    ['a pairing token', `token gw_${tail} refused`],
    ['a session key in a URL', `GET /events?apiKey=sess_${tail}&x=1`],
    ['a key of another form in a URL', `GET /events?apiKey=${tail}`],
    ['a URL-encoded one', `GET /?to=%2Fevents%3FapiKey%3Dsess%5f${tail}`],
    ['one with a JSON escape', `{"a":"sess\\u005f${tail}"}`],
    ['one in a stack', `Error: gw_${tail}\\n    at gw_${tail}:1:1`],
    ['a doubled one', `gw_${tail}gw_${tail}`],
    ['a set-up token', `/setup#token=setup_${tail}`],
    ['an access token', `dbt_${tail} is revoked`],
    ['the proof of a session', `dbp_${tail}`],
    ["a client's access token", `dbo_${tail} is refused`],
    ["a client's refresh token", `{"token":"dbr_${tail}"}`],
    ["a client's secret", `dbs_${tail}`],
    ['a refresh token of another form', `grant_type=refresh_token&refresh_token=${tail}`],
    ['the proof of a code', `{"code_verifier":"${tail}"}`],
    ['a code in an address', `302 https://client.example/callback?code=${tail}&state=x`],
    ['the state of a tool', `{"requestState":"${tail}"}`],
    ['a ticket', `dbw_${tail} was used`],
    ['the secret of a webhook', `whsec_${tail}`],
    ['a key of a model provider', `sk-${tail}`],
    ['an invitation', `/invitation#token=invite_${tail}`],
    ['a cookie', `{"cookie":"drawbridge.session_token=${tail}.x; other=1"}`],
    ['a header', `{"authorization":"Bearer ${tail}"}`],
    ['a header in text', `x-gateway-key: ${tail}`],
    ['a password', `{"password":"${tail}"}`],
    ['a password in a nested text', `{"body":"{\\"password\\":\\"${tail}\\"}"}`],
    ['a value that the server knows', `it is ${known}!`],
    ['the same, encoded', `?q=${encodeURIComponent(known)}`],
    ['the same, in JSON', JSON.stringify({ value: known })],
  ])('LG-03 LG-04 is not %s', (_, line) => {
    const scrubbed = scrub(line);
    expect(scrubbed).not.toContain(tail);
    expect(scrubbed).not.toContain('known');
    expect(scrubbed).toContain('[hidden]');
  });

  it.each([
    ['GET /trpc/gateway.status 200'],
    ['{"msg":"gw_ is a prefix","sessions":3}'],
    ['session of 4 machines, token count 12'],
    ['{"code":"NOT_FOUND","message":"x"}'],
  ])('is %s', (line) => {
    expect(scrub(line)).toBe(line);
  });

  it('LG-04 never contains a key, in any position', () => {
    const prefix = fc.constantFrom('gw_', 'sess_', 'setup_', 'invite_');
    fc.assert(
      fc.property(fc.string(), prefix, fc.string(), (before, start, after) => {
        expect(scrub(`${before} ${start}${tail} ${after}`)).not.toContain(tail);
      }),
    );
  });

  it('LG-04 is not one of the newest secrets that became known later; they are bounded', () => {
    const scrubber = createScrubber([known]);
    for (let n = 0; n < 3_000; n += 1) scrubber.hide(`changed-key-${n}`);
    expect(scrubber.scrub(`changed-key-2999 ${known}`)).toBe('[hidden] [hidden]');
    expect(scrubber.scrub('changed-key-0')).toBe('changed-key-0');
  });

  it.each([
    ['blanks', 'cookie'.padEnd(2_000_000, ' ')],
    ['names', 'cookie:'.repeat(300_000)],
    ['prefixes', 'gw_'.repeat(600_000)],
    ['quotes', 'password\\"'.repeat(200_000)],
  ])('LG-04 takes time in proportion to its length: %s', (_, line) => {
    expect(scrub(line).length).toBeGreaterThan(0);
  });
});

describe('a record', () => {
  const record = (write: (log: ReturnType<typeof createLog>) => void, format: 'json' | 'text' = 'json') => {
    const lines: string[] = [];
    write(
      createLog({
        level: 'info',
        format,
        scrubber: createScrubber([known]),
        write: (line) => void lines.push(line),
      }),
    );
    return lines;
  };

  it('LG-06 is one line for any content', () => {
    const text = 'x\n{"level":60,"msg":"forged"}\r\n\u2028\u2029\u001b[31m\u0085\u202e';
    const lines = record((log) => log.info({ agent: text }, text));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ agent: text, msg: text });
  });

  it('LG-01 LG-03 hides a key in an error, its cause and its fields', () => {
    const cause = Object.assign(new Error(`inner sess_${tail}`), {
      config: { headers: { 'x-gateway-key': tail } },
    });
    const error = new Error(`outer gw_${tail}`, { cause });
    const lines = record((log) => log.error({ err: error, list: [{ deep: { cookie: tail } }] }, 'failed'));
    expect(lines.join('')).not.toContain(tail);
  });

  it('LG-06 is text for a terminal, in which nothing acts on the terminal or forges a line', () => {
    const forged = 'x\nerror  forged\r\u001b[31m\u0085\u202e';
    const error = new Error(forged, { cause: tail });
    const [line = ''] = record((log) => log.error({ err: error }, `disk full gw_${tail}`), 'text');
    const [first, ...frames] = line.trimEnd().split('\n');
    expect(first).toBe('error  disk full gw_[hidden]: x\\nerror  forged\\u000d\\u001b[31m\\u0085\\u202e');
    expect(frames.length).toBeGreaterThan(0);
    expect(frames.filter((frame) => !/^ +at [\x20-\x7e]+$/.test(frame))).toEqual([]);
    expect(record((log) => log.warn({ port: 1 }, 'take care'), 'text')).toEqual(['warning  take care\n']);
  });
});
