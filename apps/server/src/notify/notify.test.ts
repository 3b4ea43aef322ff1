import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../../../e2e/agent/scripted-model.ts';
import { story, use } from '../../test/agent-turns.ts';
import { machineQuestion, nextCall, threadOf } from '../../test/agent.ts';
import { connectDaemon } from '../../test/daemon.ts';
import { createPanel } from '../../test/panel.ts';
import { decrypt, newSubscription, openPushService, pushHost, vapidClaims } from '../../test/push-service.ts';
import { signIn } from '../../test/account.ts';
import { cookiesOf, owner, signUpOwner, startServer } from '../../test/server.ts';
import { invited } from '../../test/tenants.ts';
import { isBodySignature, isStandardSignature } from './signing.ts';
import { isPushEndpoint } from './push-host.ts';

const path = '/webchat/push/subscriptions';

/** A server with a machine, an agent that asks, and a stand-in of a push service. */
const world = async () => {
  const service = await openPushService();
  const model = await startScriptedModel(
    story([use('ask-user', { questions: [{ id: 'q', question: 'The secret question?', type: 'text' }] })]),
  );
  onTestFinished(model.close);
  const server = await startServer({
    environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url },
    outside: service.outside,
  });
  const cookie = await signUpOwner(server);
  const panel = createPanel(server, cookie);
  const { token } = await panel.gateway.createLink.mutate();
  const daemon = await connectDaemon(server, token);
  /** The id of a new question of the machine. */
  const ask = async () => {
    const run = panel.calls.run.mutate({ name: 'write_file', arguments: { path: 'the-secret-path' } });
    run.catch(() => {});
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, machineQuestion);
    const asked = await panel.confirmations.list.query();
    return asked.find((one) => one.requestId === requestId)?.id ?? '';
  };
  const as = (by: string) => (method: string, body?: unknown) =>
    server.send(path, {
      method,
      headers: { cookie: by, ...(method === 'DELETE' && { 'transfer-encoding': 'chunked' }) },
      ...(body === undefined ? {} : { body }),
    });
  return { server, cookie, panel, service, ask, as, subscriptions: as(cookie) };
};

type World = Awaited<ReturnType<typeof world>>;

const publicKeyOf = async ({ server, cookie }: World) => {
  const got = await server.send('/webchat/push/public-key', { headers: { cookie } });
  return (got.json as { publicKey: string }).publicKey;
};

describe('a question', () => {
  it('CF-25 reaches a device encrypted, with its machine and its id and nothing of what it asks', async () => {
    const all = await world();
    const { service, subscriptions, ask } = all;
    const device = newSubscription('one');
    expect((await subscriptions('POST', device.json)).json).toEqual({ count: 1, cap: 20 });
    const id = await ask();
    await expect.poll(() => service.pushes).toHaveLength(1);
    const [push] = service.pushes;
    expect(push?.path).toBe('/wpush/v2/one');
    expect(decrypt(device, push?.body ?? Buffer.of())).toEqual({
      id,
      title: 'A question waits on desk',
      path: `/inbox/${id}`,
    });
    const { ttl, urgency, authorization } = push?.headers ?? {};
    expect({ ttl: Number(ttl) > 86_000 && Number(ttl) <= 86_400, urgency }).toEqual({
      ttl: true,
      urgency: 'high',
    });
    const claims = vapidClaims(authorization ?? '', await publicKeyOf(all));
    expect(claims).toMatchObject({ aud: `https://${pushHost}`, sub: 'mailto:drawbridge@example.org' });
  });

  it('of the agent itself is pushed with its chat, and its text is not', async () => {
    const { server, panel, service, subscriptions } = await world();
    const device = newSubscription('one');
    await subscriptions('POST', device.json);
    const userId = (await panel.account.me.query())?.id ?? '';
    const { agent } = server.app;
    if (!agent) throw new Error('the agent is on');
    const { say, until } = threadOf(agent, userId);
    await say('start');
    const { payload } = await until('confirmation-request');
    await expect.poll(() => service.pushes).toHaveLength(1);
    expect(decrypt(device, service.pushes[0]?.body ?? Buffer.of())).toEqual({
      id: payload.requestId,
      title: 'The agent has a question for you',
      path: '/chat/thread',
    });
  });

  it('is pushed when its person wants it: always, never, or while no panel is open', async () => {
    const { panel, service, subscriptions, ask } = await world();
    const device = newSubscription('one');
    await subscriptions('POST', device.json);
    const pushed = () => service.pushes.map(({ body }) => (decrypt(device, body) as { id: string }).id);
    await panel.notifications.change.mutate({ when: 'never' });
    await ask();
    await panel.notifications.change.mutate({ when: 'always' });
    const second = await ask();
    await expect.poll(pushed).toEqual([second]);
    await panel.notifications.change.mutate({ when: 'panel-closed' });
    const seen: string[] = [];
    const window = panel.live.onEvent.subscribe(undefined, {
      onData: ({ data: { topic } }) => void seen.push(topic),
    });
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    await ask();
    window.unsubscribe();
    await expect
      .poll(async () => {
        await ask();
        return pushed().length;
      })
      .toBeGreaterThan(1);
    expect(await panel.notifications.get.query()).toEqual({
      when: 'panel-closed',
      webhookUrl: null,
      runEnds: false,
      devices: 1,
      mostAnswers: 'off',
    });
  });

  it('is not pushed to a device whose session has ended, nor to one that the service has forgotten', async () => {
    const { server, panel, service, as, subscriptions, ask } = await world();
    const other = cookiesOf(await signIn(server, owner));
    await as(other)('POST', newSubscription('left').json);
    await subscriptions('POST', newSubscription('stays').json);
    const left = { method: 'POST', headers: { cookie: other }, body: {} };
    expect((await server.send('/api/auth/sign-out', left)).status).toBe(200);
    service.state.status = 410;
    await ask();
    await expect.poll(() => service.pushes.map((push) => push.path)).toEqual(['/wpush/v2/stays']);
    await expect.poll(async () => (await subscriptions('GET')).json).toEqual({ count: 0, cap: 20 });
    expect((await panel.notifications.get.query()).devices).toBe(0);
  });

  it('US-15 is not pushed to an address inside of the network, whatever its name says', async () => {
    const service = await openPushService({ [pushHost]: [{ address: '127.0.0.1', family: 4 }] });
    const server = await startServer({ outside: service.outside });
    const cookie = await signUpOwner(server);
    const { json } = newSubscription('one');
    await server.send(path, { method: 'POST', headers: { cookie }, body: json });
    const panel = createPanel(server, cookie);
    const test = await panel.notifications.testDevice.mutate({ endpoint: json.endpoint });
    expect([test, service.pushes]).toEqual([{ delivered: false, status: null }, []]);
  });
});

describe('a subscription', () => {
  it('is for signed-in people of this site alone, at known push services alone, twenty of each', async () => {
    const { server, cookie, panel, subscriptions } = await world();
    const { json } = newSubscription('one');
    const { token } = await panel.tokens.create.mutate({ name: 'a token', scopes: ['chat'] });
    const headers: Record<string, Record<string, string>> = {
      none: {},
      token: { authorization: `Bearer ${token}` },
      'other site': { cookie, origin: 'https://evil.example' },
    };
    const status = async (given: Record<string, string>) =>
      (await server.send(path, { method: 'POST', headers: given, body: json })).status;
    expect(await Promise.all(Object.values(headers).map(status))).toEqual([401, 401, 403]);
    const endpoints = [
      'http://fcm.googleapis.com/fcm/send/a',
      'https://fcm.googleapis.com:8443/fcm/send/a',
      'https://evil.example/fcm.googleapis.com',
      'https://evilfcm.googleapis.com.evil.example/',
      'https://user@fcm.googleapis.com/a',
      'https://127.0.0.1/a',
      'nothing',
    ];
    for (const endpoint of endpoints)
      expect((await subscriptions('POST', { ...json, endpoint })).status, endpoint).toBe(400);
    expect((await subscriptions('POST', { ...json, keys: { p256dh: 'x', auth: 'y' } })).status).toBe(400);
    for (let count = 1; count <= 20; count += 1)
      expect((await subscriptions('POST', newSubscription(`device-${count}`).json)).json).toEqual({
        count,
        cap: 20,
      });
    expect((await subscriptions('POST', json)).json).toMatchObject({ code: 'TOO_MANY_DEVICES' });
    const again = newSubscription('device-7').json;
    expect((await subscriptions('POST', again)).json).toEqual({ count: 20, cap: 20 });
    expect((await subscriptions('DELETE', { endpoint: again.endpoint })).json).toEqual({
      count: 19,
      cap: 20,
    });
    expect((await subscriptions('PATCH', {})).status).toBe(405);
  });

  it('is tested by its own person alone, 20 times in a minute', async () => {
    const { server, panel, service, subscriptions } = await world();
    const device = newSubscription('one');
    await subscriptions('POST', device.json);
    const { endpoint } = device.json;
    const ben = createPanel(server, await invited(server, panel));
    await expect(ben.notifications.testDevice.mutate({ endpoint })).rejects.toThrow('Not found');
    for (let count = 0; count < 20; count += 1)
      expect(await panel.notifications.testDevice.mutate({ endpoint })).toEqual({
        delivered: true,
        status: 201,
      });
    await expect(panel.notifications.testDevice.mutate({ endpoint })).rejects.toThrow('Too many requests');
    expect(decrypt(device, service.pushes[0]?.body ?? Buffer.of())).toMatchObject({ id: 'test' });
  });

  it.each([
    ['https://fcm.googleapis.com/fcm/send/x', true],
    ['https://web.push.apple.com/x', true],
    ['https://wns2-db5p.notify.windows.com/w/?token=x', true],
    ['https://pushxapple.com/x', false],
    ['https://notify.windows.com.evil.example/', false],
  ])('%s is of a known push service: %s', (address, isKnown) => {
    expect(isPushEndpoint(address)).toBe(isKnown);
  });
});

interface Hit {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const receiver = async () => {
  const hits: Hit[] = [];
  const server = createServer((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      hits.push({ headers: incoming.headers, body: Buffer.concat(chunks) });
      reply.writeHead(incoming.url === '/moved' ? 302 : 200, { location: '/' }).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { hits, url: `http://127.0.0.1:${port}` };
};

describe('the webhook', () => {
  it('gets each question signed in both ways, without what it asks', async () => {
    const { server, panel, ask } = await world();
    const { hits, url } = await receiver();
    const { secret } = await panel.notifications.setWebhook.mutate({ url });
    const id = await ask();
    await expect.poll(() => hits).toHaveLength(1);
    const { headers, body } = hits[0] ?? { headers: {}, body: Buffer.of() };
    expect(JSON.parse(body.toString())).toEqual({
      type: 'question.waiting',
      id,
      machine: 'desk',
      title: 'A question waits on desk',
      url: `${server.url}/inbox/${id}`,
    });
    const timestamp = String(headers['webhook-timestamp']);
    const signature = String(headers['webhook-signature']);
    expect(isStandardSignature(secret, { id, timestamp, body }, signature)).toBe(true);
    expect(isBodySignature(secret, body, String(headers['x-signature-256']))).toBe(true);
    expect(await panel.notifications.get.query()).toMatchObject({ webhookUrl: url });
    await panel.notifications.setWebhook.mutate({ url: `${url}/moved` });
    expect(await panel.notifications.testWebhook.mutate()).toEqual({ delivered: false, status: 302 });
    expect(hits).toHaveLength(2);
    await panel.notifications.removeWebhook.mutate();
    await expect(panel.notifications.testWebhook.mutate()).rejects.toThrow('Not found');
  });

  it('US-15 of anyone but the owner has a public address', async () => {
    const { server, panel, service } = await world();
    const ben = createPanel(server, await invited(server, panel));
    for (const url of [
      'http://127.0.0.1:1/',
      'https://10.0.0.1/',
      'https://desk.local/',
      'http://example.org/',
    ])
      await expect(ben.notifications.setWebhook.mutate({ url })).rejects.toThrow('has to be public');
    await ben.notifications.setWebhook.mutate({ url: `https://${pushHost}/hook` });
    expect(await ben.notifications.testWebhook.mutate()).toEqual({ delivered: true, status: 201 });
    expect(service.pushes[0]?.path).toBe('/hook');
  });
});
