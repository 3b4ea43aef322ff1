import { describe, expect, it } from 'vitest';
import { me, signIn } from '../../../test/account.ts';
import { connectDaemon } from '../../../test/daemon.ts';
import { openOauth } from '../../../test/oauth.ts';
import { createPanel } from '../../../test/panel.ts';
import { cookiesOf, owner, signUpOwner, startServer, type TestServer } from '../../../test/server.ts';

const newPassword = 'another long password';
const right = { currentPassword: owner.password, newPassword };

const change = (server: TestServer, cookie: string, { body, from }: { body: object; from?: string }) =>
  server.send('/api/auth/change-password', {
    method: 'POST',
    body,
    headers: { cookie, ...(from !== undefined && { 'x-forwarded-for': from }) },
  });

/** A person with two sessions, an access token, a connected client and a machine. */
const setUp = async () => {
  const { server, cookie: first, connect, use } = await openOauth();
  const { tokens } = await connect();
  const cookie = cookiesOf(await signIn(server, owner));
  const panel = createPanel(server, cookie);
  const { token } = await panel.tokens.create.mutate({ name: 'Desk' });
  const link = await panel.gateway.createLink.mutate();
  const daemon = await connectDaemon(server, link.token);

  /** What still holds, the session that asks by the cookie that it has then. */
  const holding = async (own: string) => ({
    own: (await me(server, own)) !== null,
    before: (await me(server, cookie)) !== null,
    other: (await me(server, first)) !== null,
    token: (await use(token)) === 200,
    client: (await use(tokens.access_token)) === 200,
    machine: (await daemon.respond('unknown', { error: 'x' })).status === 404,
  });
  return { server, cookie, daemon, holding };
};

const everything = { own: true, before: true, other: true, token: true, client: true, machine: true };
const nothingElse = {
  own: true,
  before: false,
  other: false,
  token: false,
  client: false,
  machine: false,
};

describe('a changed password', () => {
  it.each([
    ['PK-11 US-07 ends all but the session that asked, which is a new one', {}, nothingElse],
    ['PK-11 ends it where it is asked to', { revokeOtherSessions: true }, nothingElse],
    ['ends nothing where the person says so', { revokeOtherSessions: false }, everything],
  ])('%s', async (_, choice, then) => {
    const { server, cookie, daemon, holding } = await setUp();
    const got = await change(server, cookie, { body: { ...right, ...choice } });
    expect(got.status).toBe(200);
    const own = got.headers['set-cookie'] === undefined ? cookie : cookiesOf(got);
    expect(await holding(own)).toEqual(then);
    const statuses = [owner.password, newPassword].map(
      async (password) => (await signIn(server, { email: owner.email, password })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200]);
    if (then.machine) return;
    expect((await daemon.stream.next()).event).toEqual({
      type: 'gateway-disconnect',
      payload: { reason: 'user' },
    });
    await daemon.stream.ended;
  });

  it('is refused where something is wrong, and all stays as it was', async () => {
    const { server, cookie, holding } = await setUp();
    for (const [what, given, code] of [
      ['a wrong password', { currentPassword: 'a wrong password' }, 'INVALID_PASSWORD'],
      ['no password', { currentPassword: '' }, 'BAD_REQUEST'],
      ['a new one of nine letters', { newPassword: '123456789' }, 'BAD_REQUEST'],
      ['a new one of 129 letters', { newPassword: 'x'.repeat(129) }, 'BAD_REQUEST'],
      ['an invalid choice', { revokeOtherSessions: 'no' }, 'BAD_REQUEST'],
    ] as const) {
      const { status, json, headers } = await change(server, cookie, { body: { ...right, ...given } });
      expect([what, status, json, headers['set-cookie']]).toEqual([
        what,
        400,
        expect.objectContaining({ code }),
        undefined,
      ]);
    }
    expect(await holding(cookie)).toEqual(everything);
    expect((await signIn(server, owner)).status).toBe(200);
  });

  it('is refused without a session', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const got = await change(server, `${cookie.split('=')[0]}=x.y`, { body: right });
    expect([got.status, got.json]).toEqual([401, expect.objectContaining({ code: 'UNAUTHORIZED' })]);
  });

  it('US-04 cannot be tried without end, from one address or at one account from many', async () => {
    const server = await startServer({ environment: { SIGN_IN_PER_MINUTE: '4', TRUST_PROXY: '127.0.0.1' } });
    const cookie = await signUpOwner(server);
    const wrong = { ...right, currentPassword: 'a wrong password' };
    const statuses = async (addressOf: (at: number) => string, body: object) => {
      const seen: number[] = [];
      for (let at = 0; at < 5; at += 1)
        seen.push((await change(server, cookie, { body, from: addressOf(at) })).status);
      return seen;
    };
    // Without a session's cookie the account does not count, and the address does.
    const strangers: number[] = [];
    for (let at = 0; at < 5; at += 1)
      strangers.push((await change(server, '', { body: wrong, from: '192.0.2.1' })).status);
    expect(strangers).toEqual([401, 401, 401, 401, 429]);
    expect(await statuses((at) => `198.51.100.${at}`, wrong)).toEqual([400, 400, 400, 400, 429]);
    const got = await change(server, cookie, { body: right, from: '203.0.113.9' });
    expect([got.status, Number(got.headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
