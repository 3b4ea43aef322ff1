import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '@drawbridge/kit';
import type { Refusal } from '../../common/egress/refusal.ts';
import { openProxy } from './proxy.ts';
import { openSite } from '../../../../test/support/browser-fixture.ts';

interface Opened {
  resolve?: (hostname: string) => Promise<string[]>;
  mayConnect?: (host: string, addresses: readonly string[]) => Refusal | null;
}

const opened = async ({ resolve = async () => ['127.0.0.1'], mayConnect = () => null }: Opened = {}) => {
  const asked: [string, readonly string[]][] = [];
  const proxy = await openProxy({
    clock: systemClock,
    ownPorts: new Set(),
    resolve,
    refused: () => undefined,
    mayConnect: async ({ host }, addresses) => {
      asked.push([host, addresses]);
      return mayConnect(host, addresses);
    },
  });
  onTestFinished(proxy.close);
  const { hostname, port } = new URL(proxy.url);
  const key = `Basic ${Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64')}`;
  const get = (url: string, authorization: string | null = key): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const headers = {
        host: URL.canParse(url) ? new URL(url).host : 'a.example',
        ...(authorization !== null && { 'proxy-authorization': authorization }),
      };
      request({ hostname, port, path: url, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve([response.statusCode ?? 0, text]));
      })
        .on('error', reject)
        .end();
    });
  const tunnel = (target: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${key}\r\n\r\n`),
      );
      socket.once('data', (chunk) => {
        socket.destroy();
        resolve(String(chunk).split('\r\n')[0] ?? '');
      });
      socket.once('error', reject);
    });
  return { asked, get, tunnel };
};

it('connects to what was checked, and asks for the name once', async () => {
  const site = await openSite(() => ({ '/': 'hello' }));
  let times = 0;
  const { get, asked } = await opened({
    resolve: async () => {
      times += 1;
      // The second answer would lead elsewhere.
      return times === 1 ? ['127.0.0.1'] : ['0.0.0.0'];
    },
  });
  expect(await get(`http://rebind.example:${site.port}/`)).toEqual([200, 'hello']);
  expect([times, asked, site.hits]).toEqual([
    1,
    [[`rebind.example:${site.port}`, ['127.0.0.1']]],
    ['rebind.example/'],
  ]);
});

it.each([
  ['a name', 'evil.example'],
  ['an address', '127.0.0.1'],
  ['an address in another spelling', '2130706433'],
])('SS-05 what is refused is never connected: %s', async (_what, name) => {
  const site = await openSite(() => ({ '/': 'hello' }));
  const { get, tunnel } = await opened({ mayConnect: () => 'local' });
  const answers = [(await get(`http://${name}:${site.port}/`))[0], await tunnel(`${name}:${site.port}`)];
  // A number is no name: it is refused before anything is asked.
  const status = name === '2130706433' ? 400 : 403;
  expect(answers).toEqual([status, expect.stringContaining(`${status} `)]);
  expect(site.connections()).toBe(0);
});

it('SS-13 says the same whatever the reason, and looks up no name that does not exist', async () => {
  const refusals: (Refusal | null)[] = ['server', 'denied', 'never', 'local', 'unasked'];
  const answers = [];
  for (const refusal of refusals) {
    const { get } = await opened({ mayConnect: () => refusal });
    answers.push(await get('http://a.example/'));
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

it('lets no client through without the secret', async () => {
  const site = await openSite(() => ({ '/': 'hello' }));
  const { get, asked } = await opened();
  const answers = [];
  for (const key of [null, 'Basic eDp5', 'Bearer x'])
    answers.push((await get(`http://a.example:${site.port}/`, key))[0]);
  expect(answers).toEqual([407, 407, 407]);
  expect([asked, site.connections()]).toEqual([[], 0]);
});

it('is no web server: a page that finds its port gets nothing from it', async () => {
  const { get, asked } = await opened();
  expect((await get('/', null).catch(() => [0]))[0]).not.toBe(200);
  expect(asked).toEqual([]);
});
