import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { describe, expect, it } from 'vitest';
import { announcement, forbidden, paired, seen } from '../../../test/paired.ts';
import { connectDaemon, initDaemon, openStream } from '../../../test/daemon.ts';
import { startServer } from '../../../test/server.ts';

const { bare, wrapped } = daemonMounts;

describe('a key', () => {
  const routes = [
    ['POST', '/init', announcement],
    ['GET', '/events', undefined],
    ['POST', '/response/abc', { error: 'x' }],
    ['POST', '/responses', { responses: [{ requestId: 'abc', error: 'x' }] }],
    ['POST', '/progress/abc', { message: 'x' }],
    ['POST', '/disconnect', {}],
  ] as const;

  it.each(routes)(
    'that is missing, unknown or cannot be one gets the same answer at %s %s',
    async (method, path, body) => {
      const server = await startServer();
      const keys = ['', 'x', `gw_${'a'.repeat(32)}`, `sess_${'a'.repeat(32)}`, 'k'.repeat(4_000)];
      for (const mount of [bare, wrapped]) {
        for (const key of keys) {
          const headers: Record<string, string> = key === '' ? {} : { [gatewayKeyHeader]: key };
          const got = await server.send(`${mount}${path}`, { method, headers, ...(body ? { body } : {}) });
          expect(seen(got)).toEqual([403, forbidden]);
        }
      }
    },
  );

  it.each([
    ['taken', 200],
    ['refused', 403],
  ])('LG-11 that is %s leaves no answer that anything on the way may keep', async (kind, status) => {
    const { server, token } = await paired();
    const got = await server.send(`${bare}/init`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: kind === 'taken' ? token : 'x' },
      body: announcement,
    });
    expect([got.status, got.headers['cache-control']]).toEqual([status, 'no-store']);
  });

  it('for pairing does nothing else', async () => {
    const { server, token } = await paired();
    for (const [method, path, body] of routes.slice(1)) {
      const got = await server.send(`${bare}${path}`, {
        method,
        headers: { [gatewayKeyHeader]: token },
        ...(body ? { body } : {}),
      });
      expect(seen(got)).toEqual([403, forbidden]);
    }
    const reused = await server.send(`/trpc/gateway.status`, { headers: { [gatewayKeyHeader]: token } });
    expect(reused.status).toBe(401);
  });

  it('for pairing works once, however many try at once, and after it was only checked', async () => {
    const { server, token } = await paired();
    const check = (key: string) =>
      server.send(`${bare}/init`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: key },
        body: { ...announcement, check: true },
      });
    expect((await check(token)).json).toEqual({ ok: true });
    expect(seen(await check('hello'))).toEqual([403, forbidden]);
    const tries = Array.from({ length: 20 }, () =>
      server.send(`${bare}/init`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: token },
        body: announcement,
      }),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter((got) => got.status === 200)).toHaveLength(1);
    expect(answers.filter((got) => got.status === 403).map((got) => got.json)).toEqual(
      Array(19).fill(forbidden),
    );
  });

  it('opens the stream from the query on the bare mount alone', async () => {
    const { server, token } = await paired();
    const key = await initDaemon(server, token);
    const get = async (path: string) => {
      const stream = await openStream(`${server.url}${path}`, {});
      stream.close();
      return stream.status;
    };
    expect(await get(`${bare}/events?apiKey=${key}`)).toBe(200);
    expect(await get(`${wrapped}/events?apiKey=${key}`)).toBe(403);
    for (const name of ['api_key', 'token', 'apikey', 'key'])
      expect(await get(`${bare}/events?${name}=${key}`)).toBe(403);
    const posted = await server.send(`${bare}/disconnect?apiKey=${key}`, { method: 'POST', body: {} });
    expect(seen(posted)).toEqual([403, forbidden]);
    expect(server.log.join('')).not.toContain(key);
  });

  it('is ignored in the query when that is switched off', async () => {
    const { server, token } = await paired({ GATEWAY_ALLOW_QUERY_KEY: 'false' });
    const key = await initDaemon(server, token);
    expect(seen(await server.send(`${bare}/events?apiKey=${key}`))).toEqual([403, forbidden]);
  });

  it('is refused if it is sent twice or joined', async () => {
    const { server, token } = await paired();
    const key = await initDaemon(server, token);
    const twice = { code: 'BAD_REQUEST', message: 'Send exactly one gateway key' };
    const answers = [
      await server.send(`${bare}/events`, { headers: { [gatewayKeyHeader]: [key, key] } }),
      await server.send(`${bare}/events`, { headers: { [gatewayKeyHeader]: `${key},${key}` } }),
      await server.send(`${bare}/events?apiKey=${key}`, { headers: { [gatewayKeyHeader]: key } }),
      await server.send(`${bare}/events?apiKey=${key}&apiKey=x`),
      await server.send(`${bare}/disconnect`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: [key, 'x'] },
        body: {},
      }),
    ];
    expect(answers.map(seen)).toEqual(answers.map(() => [400, twice]));
  });

  it('PK-05 cannot be guessed for long, and an honest daemon at the same address is not locked out', async () => {
    const { server, token } = await paired({ PAIRING_PER_MINUTE: '3' });
    const init = async (key: string) =>
      (
        await server.send(`${bare}/init`, {
          method: 'POST',
          headers: { [gatewayKeyHeader]: key, 'x-extra': key },
          body: announcement,
        })
      ).status;
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push(await init(`gw_${String(at).repeat(32)}`));
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    expect(await init(token)).toBe(200);
  });

  it('of a paired machine is not limited by attempts of others from its address', async () => {
    const { server, token } = await paired({ PAIRING_PER_MINUTE: '1' });
    const key = await initDaemon(server, token);
    const init = (tried: string) =>
      server.send(`${bare}/init`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: tried },
        body: announcement,
      });
    const others = [`gw_${'x'.repeat(32)}`, `gw_${'y'.repeat(32)}`, 'anything'];
    const statuses: number[] = [];
    for (const tried of [...others, `sess_${'x'.repeat(32)}`, key]) statuses.push((await init(tried)).status);
    expect(statuses).toEqual([403, 429, 429, 403, 200]);
  });

  it('if valid, may call init without limit', async () => {
    const { server, token } = await paired({ PAIRING_PER_MINUTE: '3' });
    const key = await initDaemon(server, token);
    for (let at = 0; at < 8; at += 1) {
      const got = await server.send(`${bare}/init`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: key },
        body: announcement,
      });
      expect(got.status).toBe(200);
    }
  });

  it('LG-01 never appears in the log, for any error', async () => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const { sessionKey } = daemon;
    await server.send(`${bare}/events?apiKey=${sessionKey}&apiKey=${token}`);
    await server.send(`${bare}/${sessionKey}`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: sessionKey },
      body: { a: token },
    });
    await server.send(`/trpc/gateway.status?input=${sessionKey}`, {
      headers: { cookie: `x=${sessionKey}`, authorization: sessionKey },
    });
    await daemon.respond(sessionKey, { result: sessionKey });
    await daemon.respond('a'.repeat(3_000), `"${sessionKey}"`);
    await panel.calls.run.mutate({ name: sessionKey, arguments: {} }).catch(() => {});
    await server.app.close();
    const log = server.log.join('');
    expect(log.length).toBeGreaterThan(0);
    for (const secret of [sessionKey, token]) expect(log).not.toContain(secret.slice(-32));
  });
});
