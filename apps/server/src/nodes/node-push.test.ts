import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { machineQuestion, nextCall } from '../../test/agent.ts';
import { openGoogle, refuseGoogle } from '../../test/google.ts';
import { online } from '../../test/rest.ts';
import { newToken, openPerson, openRpc } from '../../test/rpc.ts';
import { configFrom } from '../config.ts';
import { openMobileSenders } from '../notify/index.ts';

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'push-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

const ids = { APNS_KEY_ID: 'ABCDEFGHIJ', APNS_TEAM_ID: '0123456789', APNS_TOPIC: 'org.example.app' };

/** Apple's service on loopback; `refuse` is what it answers next. */
const openApple = async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const sent: { headers: IncomingHttpHeaders; body: unknown }[] = [];
  const refusals: [status: number, reason: string][] = [];
  const server = createServer();
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => void sessions.add(session));
  server.on('stream', async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const body: unknown = JSON.parse(await text(stream));
    const [status, reason] = refusals.shift() ?? [200, ''];
    sent.push({ headers, body });
    stream.respond({ ':status': status });
    stream.end(reason && JSON.stringify({ reason }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, sent, sessions, refusals, publicKey, pem: await exportPKCS8(privateKey) };
};

/** A server with both services, a machine that asks, and nodes with tokens. */
const world = async () => {
  const [google, apple, folder] = await Promise.all([openGoogle(), openApple(), newFolder()]);
  const files = { FCM_KEY_FILE: join(folder, 'fcm.json'), APNS_KEY_FILE: join(folder, 'key.p8') };
  await writeFile(files.FCM_KEY_FILE, await google.serviceAccountKey());
  await writeFile(files.APNS_KEY_FILE, apple.pem);
  const { server, cookie, panel, daemon } = await online({
    ...ids,
    ...files,
    GOOGLE_API_URL: google.url,
    APNS_URL: apple.url,
  });
  await server.app.settings.patch({ nodes: { push: true } });
  const node = async (rpc: Awaited<ReturnType<typeof openRpc>>, nodeId: string, provider: string) => {
    const registered = { nodeId, role: 'companion', protocolVersion: 1, capabilities: ['push'] };
    await rpc.call('node.register', registered);
    const set = { provider, token: `${provider}/../canary ${nodeId}`.replaceAll(' ', '-') };
    return (await rpc.call('node.push_token.set', set)).result;
  };
  /** The id of a new question of the machine. */
  const ask = async () => {
    panel.calls.run.mutate({ name: 'write_file', arguments: { path: 'the-secret-path' } }).catch(() => {});
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, machineQuestion);
    const asked = await panel.confirmations.list.query();
    return asked.find((one) => one.requestId === requestId)?.id ?? '';
  };
  return { server, cookie, panel, google, apple, node, ask };
};

it('CH-37 a question reaches nodes by FCM and APNs without what it asks, while their access holds', async () => {
  const { server, cookie, panel, google, apple, node, ask } = await world();
  const phone = await newToken(server, cookie, ['node']);
  const tablet = await newToken(server, cookie, ['node']);
  const rpc = await openRpc(server, phone.token);
  expect(await node(rpc, 'phone', 'fcm')).toMatchObject({ push: { provider: 'fcm', deliverable: true } });
  const other = await openRpc(server, tablet.token);
  expect(await node(other, 'tablet', 'apns')).toMatchObject({ push: { deliverable: true } });
  const person = await openPerson(server, cookie);
  expect(await node(person, 'session', 'fcm')).toMatchObject({ push: { deliverable: false } });

  const id = await ask();
  await expect.poll(() => google.pushed).toHaveLength(1);
  const message = { title: 'A question waits on desk', path: `/inbox/${id}` };
  expect(google.pushed).toEqual([
    {
      token: 'fcm/../canary-phone',
      notification: { title: message.title },
      data: { id, path: message.path },
      android: {
        priority: 'HIGH',
        ttl: expect.stringMatching(/^86\d{3}s$/),
        collapse_key: expect.any(String),
      },
    },
  ]);
  await expect.poll(() => apple.sent).toHaveLength(1);
  const [{ headers, body } = { headers: {}, body: null }] = apple.sent;
  expect(body).toEqual({
    aps: { alert: { title: message.title }, sound: 'default' },
    id,
    path: message.path,
  });
  expect(headers).toMatchObject({
    ':method': 'POST',
    ':path': '/3/device/apns%2F..%2Fcanary-tablet',
    'apns-topic': 'org.example.app',
    'apns-push-type': 'alert',
  });
  expect(Number(headers['apns-expiration']) * 1_000).toBeGreaterThan(systemClock.now());
  const bearer = (headers.authorization ?? '').replace(/^bearer /, '');
  expect(decodeProtectedHeader(bearer)).toMatchObject({ alg: 'ES256', kid: 'ABCDEFGHIJ' });
  expect((await jwtVerify(bearer, apple.publicKey)).payload.iss).toBe('0123456789');
  expect(JSON.stringify([google.pushed, apple.sent])).not.toContain('the-secret-path');

  // A failure keeps the token, and its end at the service ends it here.
  google.answerFirst('messages', refuseGoogle(503), refuseGoogle(404));
  apple.refusals.push([403, 'InvalidProviderToken'], [410, 'Unregistered']);
  await ask();
  await expect.poll(() => server.log.join('')).toContain('by apns: HTTP 403 InvalidProviderToken');
  await expect.poll(() => server.log.join('')).toContain('by fcm: HTTP 503');
  await ask();
  const pushes = async () => {
    const { nodes } = (await rpc.call('system.nodes')).result as { nodes: { id: string; push?: object }[] };
    return nodes.filter(({ push }) => push).map((one) => one.id);
  };
  await expect.poll(pushes).toEqual(['session']);

  await node(rpc, 'phone', 'fcm');
  await node(other, 'tablet', 'apns');
  await panel.tokens.revoke.mutate({ id: tablet.id });
  await ask();
  await expect.poll(() => google.pushed).toHaveLength(2);
  await expect.poll(pushes).toEqual(['phone', 'session']);
  await server.app.settings.patch({ nodes: { push: false } });
  await ask();
  await panel.notifications.change.mutate({ when: 'never' });
  await server.app.settings.patch({ nodes: { push: true } });
  await ask();
  expect([google.pushed.length, apple.sent.length, apple.sessions.size]).toEqual([2, 3, 1]);
  expect(server.log.join('')).not.toContain('canary');
});

it('CH-37 a key that is missing or no key is said so, and the service is not used', async () => {
  const folder = await newFolder();
  const file = join(folder, 'not-a-key');
  await writeFile(file, '{}');
  const said: string[] = [];
  const open = (name: string) =>
    openMobileSenders({
      clock: createFakeClock(),
      environment: configFrom({ ...ids, FCM_KEY_FILE: name, APNS_KEY_FILE: name }),
      warn: (sentence) => void said.push(sentence),
    });
  expect(await open(file)).toEqual({ fcm: null, apns: null });
  expect(await open(join(folder, 'missing'))).toEqual({ fcm: null, apns: null });
  expect(said).toEqual([
    'FCM_KEY_FILE: the file has no key for this service; nodes get no notifications by it',
    'APNS_KEY_FILE: the file has no key for this service; nodes get no notifications by it',
    'FCM_KEY_FILE: the file cannot be read; nodes get no notifications by this service',
    'APNS_KEY_FILE: the file cannot be read; nodes get no notifications by this service',
  ]);
  expect(() => configFrom({ APNS_KEY_FILE: file })).toThrow('needs APNS_KEY_ID');
});
