import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { codeOf, me, signIn } from '../../../test/account.ts';
import { gmailClient, mailboxAddress, openGmail, refuseGmail } from '../../../test/gmail.ts';
import { linkOn } from '../../../test/google-consent.ts';
import { standInsAnswered } from '../../../test/http-stand-in.ts';
import { paired } from '../../../test/paired.ts';
import { createPanel, guestOf } from '../../../test/panel.ts';
import { openTestStore } from '../../../test/store-place.ts';
import { cookiesOf, owner, type Sent } from '../../../test/server.ts';

const kind = 'gmail' as const;
const path = '/channels/gmail/callback';
const fields = { clientId: gmailClient.id, clientSecret: gmailClient.secret };
const minute = 60_000;

/** The owner's browser; the channel has nothing yet. */
const consentWorld = async () => {
  const clock = createFakeClock(systemClock.now(), standInsAnswered);
  const gmail = await openGmail(clock);
  const all = await paired({ GOOGLE_API_URL: gmail.environment.GOOGLE_API_URL }, clock);
  const { server, panel, cookie } = all;
  const { channels } = panel;
  const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
  const redirect = (await channel())?.consentUrl ?? '';
  gmail.consent.allowRedirect(redirect);
  /** The browser comes back, with its cookie and without the proof of its session. */
  const comeBack = async (address: string, headers: Sent['headers'] = { cookie }) => {
    const { pathname, search } = new URL(address);
    const got = await server.send(pathname + search, { headers: { [sessionProofHeader]: [], ...headers } });
    expect(got.headers['cache-control']).toBe('no-store');
    expect(got.headers['referrer-policy']).toBe('no-referrer');
    return got.headers.location ?? got.status;
  };
  const leave = async (change: Record<string, string> = fields) =>
    (await channels.connect.mutate({ kind, fields: change })).url;
  /** Where the panel says how it ended. */
  const outcome = (name: string) => `/settings/channels?consent=${name}`;
  /** The mailbox is connected; time passes until it is. */
  const connected = () =>
    expect
      .poll(
        async () => {
          await clock.settle(1_000);
          return channel();
        },
        { interval: 100 },
      )
      .toMatchObject({ isOn: true, state: 'working', name: mailboxAddress });
  return { ...all, clock, gmail, channels, channel, redirect, comeBack, leave, outcome, connected };
};

it('CH-45 the owner connects a mailbox on the page of Google, which gives a token that is sealed', async () => {
  const { server, gmail, channel, redirect, comeBack, leave, outcome, connected } = await consentWorld();
  const { db, close } = await openTestStore(server.dataDir);
  onTestFinished(close);
  const page = await leave();
  // The channel waits for the token.
  expect(await channel()).toMatchObject({ isOn: false, isSet: false, state: 'off' });
  const asked = new URL(page).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    access_type: 'offline',
    prompt: 'consent',
    code_challenge_method: 'S256',
    redirect_uri: redirect,
  });
  expect(redirect).toBe(server.url + path);
  const back = await linkOn(page, 'Continue');
  expect(await comeBack(back)).toBe(outcome('connected'));
  await connected();
  expect((await channel())?.fields).toEqual({
    clientId: gmailClient.id,
    clientSecret: 'cret',
    refreshToken: 'oken',
  });

  // Nothing of the way there is kept, written down or passed on.
  const rows = JSON.stringify([
    await db.selectFrom('channelAccounts').selectAll().execute(),
    await db.selectFrom('rpcTickets').selectAll().execute(),
  ]);
  const said = server.log.join('');
  const code = new URL(back).searchParams.get('code') ?? '';
  const form = gmail.asked.find(({ body }) => body.includes('authorization_code'))?.body ?? '';
  const verifier = new URLSearchParams(form).get('code_verifier') ?? '';
  expect(verifier).toMatch(/^[\w-]{43}$/);
  for (const secret of [
    asked.get('state') ?? '',
    code,
    verifier,
    'refresh-token',
    'token of consent',
    gmailClient.secret,
  ]) {
    expect(secret).not.toBe('');
    expect(rows).not.toContain(secret);
    expect(said).not.toContain(secret);
  }
});

it('CH-45 a way back that is not the owner’s, or not from here, connects nothing', async () => {
  const { server, panel, cookie, clock, gmail, channel, comeBack, leave, outcome } = await consentWorld();
  const refused = async (address: string, name: string, headers?: Sent['headers']) => {
    expect(await comeBack(address, headers)).toBe(outcome(name));
    expect(await channel()).toMatchObject({ isOn: false, isSet: false });
    expect(gmail.asked.filter(({ body }) => body.includes('authorization_code'))).toHaveLength(0);
  };
  const back = async () => linkOn(await leave(), 'Continue');
  const withState = (address: string, state: string) => {
    const to = new URL(address);
    to.searchParams.set('state', state);
    return to.href;
  };

  // Forged, missing, expired; used by a browser that is not signed in, or in another session of the owner.
  await refused(withState(await back(), `dbw_${'A'.repeat(32)}`), 'expired');
  await refused(withState(await back(), ''), 'expired');
  const late = await back();
  clock.jump(10 * minute);
  await refused(late, 'expired');
  const signedOut = await back();
  await refused(signedOut, 'signed-out', {});
  await refused(signedOut, 'expired');
  const { email, password } = owner;
  const elsewhere = cookiesOf(await signIn(server, { email, password }));
  await refused(await back(), 'not-yours', { cookie: elsewhere });
  // A state is no ticket for a socket, and such a ticket is no state.
  const { ticket } = (await server.send('/rpc/ticket', { method: 'POST', headers: { cookie } })).json as {
    ticket: string;
  };
  await refused(withState(await back(), ticket), 'expired');

  // Another account neither leaves from here nor comes back.
  const guest = await guestOf(server, panel);
  const ofGuest = await server.send('/trpc/channels.connect', {
    method: 'POST',
    headers: { cookie: guest },
    body: { kind, fields },
  });
  expect(codeOf(ofGuest)).toBe('FORBIDDEN');
  const guestView = (await createPanel(server, guest).channels.list.query()).find((one) => one.kind === kind);
  expect(guestView).toMatchObject({ consentUrl: null, fields: {} });
  await refused(await back(), 'not-yours', { cookie: guest });

  // Another name of the host changes nothing, and gets nothing.
  const { host } = new URL(server.url);
  expect(await comeBack(await back(), { cookie, host: `evil.example:${host.split(':')[1]}` })).toBe(403);
  const named = { cookie, host: 'evil.example' };
  const asHost = await server.send('/trpc/channels.connect', {
    method: 'POST',
    headers: named,
    body: { kind },
  });
  expect(asHost.status).toBe(403);
  expect((await server.send(path, { method: 'POST', body: {} })).status).toBe(405);
});

it('CH-45 a person who is the owner no longer connects nothing', async () => {
  const { server, cookie, clock, channels, comeBack, leave, outcome } = await consentWorld();
  const back = await linkOn(await leave(), 'Continue');
  const { db, close } = await openTestStore(server.dataDir);
  await db
    .withTables<{ user: { ownerSlot: string | null } }>()
    .updateTable('user')
    .set({ ownerSlot: null })
    .execute();
  await close();
  const seen = async () => {
    await clock.settle(1_000);
    return me(server, cookie);
  };
  await expect.poll(seen).toMatchObject({ isOwner: false });
  expect(await comeBack(back)).toBe(outcome('not-yours'));
  expect(await channels.list.query()).toContainEqual(
    expect.objectContaining({ kind, isOn: false, isSet: false }),
  );
});

it('CH-45 a code of another way, used twice, and what Google refuses connect nothing', async () => {
  const { gmail, channel, comeBack, leave, outcome, connected } = await consentWorld();
  const attackers = new URL(await linkOn(await leave(), 'Continue'));
  const own = new URL(await linkOn(await leave(), 'Continue'));
  own.searchParams.set('code', attackers.searchParams.get('code') ?? '');
  // The code is for the verifier of the other state.
  expect(await comeBack(own.href)).toBe(outcome('expired'));
  const cases: [label: string, expected: string][] = [
    ['Cancel', 'refused'],
    ['Read alone', 'scopes'],
  ];
  for (const [label, expected] of cases)
    expect(await comeBack(await linkOn(await leave(), label))).toBe(outcome(expected));
  const noCode = new URL(await linkOn(await leave(), 'Continue'));
  noCode.searchParams.delete('code');
  expect(await comeBack(noCode.href)).toBe(outcome('failed'));
  const answered = async (answer: Parameters<typeof gmail.answerFirst>[1], expected: string) => {
    const back = await linkOn(await leave(), 'Continue');
    gmail.answerFirst('token', answer);
    expect(await comeBack(back)).toBe(outcome(expected));
  };
  const withError = (error: string) => (reply: Parameters<ReturnType<typeof refuseGmail>>[0]) =>
    void reply.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  await answered(withError('redirect_uri_mismatch'), 'address');
  await answered(withError('toString'), 'failed');
  await answered((reply) => void reply.end('no JSON'), 'failed');
  await answered((reply) => void reply.destroy(), 'unreachable');
  await answered(refuseGmail(503), 'unreachable');
  const wrongSecret = await leave({ clientSecret: 'another-secret' });
  expect(await comeBack(await linkOn(wrongSecret, 'Continue'))).toBe(outcome('client'));
  const online = new URL(await leave(fields));
  online.searchParams.set('access_type', 'online');
  expect(await comeBack(await linkOn(online.href, 'Continue'))).toBe(outcome('token'));
  expect(await channel()).toMatchObject({ isOn: false, isSet: false });

  const back = await linkOn(await leave(), 'Continue');
  expect(await comeBack(back)).toBe(outcome('connected'));
  await connected();
  expect(await comeBack(back)).toBe(outcome('expired'));
  // The same client again leaves the mailbox on until there is another token; another client does not.
  await leave({});
  expect(await channel()).toMatchObject({ isOn: true, isSet: true });
  gmail.setRefreshToken('another-token');
  expect(await comeBack(await linkOn(await leave({}), 'Continue'))).toBe(outcome('connected'));
  await connected();
  await leave({ clientId: '9-z.apps.googleusercontent.com' });
  expect(await channel()).toMatchObject({ isOn: false, isSet: false });
});

it('CH-45 an address that Google does not send people back to is named before', async () => {
  const { channels } = (await paired({ PUBLIC_URL: 'http://192.168.1.5:8080' })).panel;
  await expect(channels.connect.mutate({ kind, fields })).rejects.toThrow('or to this machine, alone');
  await expect(channels.connect.mutate({ kind: 'telegram' })).rejects.toThrow('no page of consent');
  const posted = (await paired({ GMAIL_MODE: 'webhook' })).panel.channels;
  await expect(posted.connect.mutate({ kind, fields })).rejects.toThrow('https');
  const pasted = { kind, fields: { refreshToken: 'pasted-token' } };
  await expect(channels.connect.mutate(pasted)).rejects.toThrow('comes from the page of consent');
});
