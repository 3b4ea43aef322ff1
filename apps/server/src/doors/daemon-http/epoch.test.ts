import { daemonMounts, gatewayEpochHeader, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { expect, it } from 'vitest';
import { openStream } from '../../../test/daemon.ts';
import { announcement, paired, seen } from '../../../test/paired.ts';
import { send } from '../../../test/server.ts';

const { bare } = daemonMounts;
const daemon = { version: '1', protocol: 1, features: ['probe'] };

const inits = async (times: number) => {
  const { server, token } = await paired();
  let key = token;
  for (let time = 0; time < times; time += 1) {
    const { json } = await send(`${server.url}${bare}/init`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: key },
      body: { ...announcement, daemon },
    });
    // What an init gives, which the gateway's own tests pin.
    const reply = json as { sessionKey?: string };
    key = reply.sessionKey ?? key;
  }
  const headers = (named: string) => ({ [gatewayKeyHeader]: key, [gatewayEpochHeader]: named });
  return { url: `${server.url}${bare}`, headers };
};

it('a probe is answered with a post', async () => {
  const { url, headers } = await inits(1);
  const stream = await openStream(`${url}/events`, headers('1'));
  const { event } = await stream.next();
  expect(event.type).toBe('probe');
  const post = (body: unknown) => send(`${url}/probe`, { method: 'POST', headers: headers('1'), body });
  expect(seen(await post(event.payload))).toEqual([200, { ok: true }]);
  expect((await post({ id: 'x' })).status).toBe(400);
});

it.each(['', '-1', '1.5', 'one', '1, 2', '9'.repeat(20)])('an epoch of "%s" is refused', async (epoch) => {
  const { url, headers } = await inits(1);
  const got = await send(`${url}/response/unknown`, {
    method: 'POST',
    headers: headers(epoch),
    body: { error: 'x' },
  });
  expect(got.status).toBe(400);
});

it('a tool list is accepted only from the newest epoch, up to 1 MiB and 200 tools', async () => {
  const { url, headers } = await inits(2);
  const post = (named: string, tools: unknown) =>
    send(`${url}/tools`, { method: 'POST', headers: headers(named), body: { tools } });
  expect(seen(await post('2', [{ name: 'a__one', inputSchema: {} }, 7]))).toEqual([
    200,
    { ok: true, warnings: ['Tool number 2 was skipped: it is not a valid tool'] },
  ]);
  expect(seen(await post('1', []))).toEqual([
    409,
    { code: 'REPLACED', message: 'Another process has connected as this machine' },
  ]);
  expect((await post('2', Array(201).fill({}))).status).toBe(400);
  expect((await post('2', ['x'.repeat(1024 * 1024)])).status).toBe(413);
  expect((await post('2', 'x')).status).toBe(400);
});
