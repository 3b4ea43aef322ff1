import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createGzip, gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { buildConnector } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asHtml, asRedirect, openWebSite } from '../../../test/web-site.ts';
import { createGuardedFetch, fetchLimits, type FetchLimits } from './guarded-fetch.ts';

const notPublic = 'The address is not public.';
const unreachable = 'The page could not be reached.';

type Names = Parameters<typeof openWebSite>[0];

const open = async (names: Names = {}, limits: Partial<FetchLimits> = {}) => {
  const site = await openWebSite(names);
  const guarded = createGuardedFetch(site.outside, { ...fetchLimits, ...limits });
  onTestFinished(() => guarded.close());
  const fetch = (url: string, mayFollow: (next: URL) => boolean = () => true) =>
    guarded.fetch(url, { mayFollow, signal: new AbortController().signal });
  const text = async (url: string) => {
    const fetched = await fetch(url);
    return fetched.kind === 'body' ? fetched.body.bytes.toString() : fetched;
  };
  return { ...site, guarded, fetch, text };
};

const addresses = (...list: string[]) =>
  list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('the addresses that are fetched', () => {
  it.each([
    ['SS-01', 'http://2130706433/'],
    ['SS-01', 'http://0x7f.1/'],
    ['SS-01', 'http://0177.0.0.1/'],
    ['SS-01', 'http://127.1/'],
    ['SS-01', 'http://0/'],
    ['SS-01', 'http://127.0.0.1./'],
    ['SS-01', 'http://①②⑦.⓪.⓪.①/'],
    ['SS-01', 'http://127。0。0。1/'],
    ['SS-01', 'http://127.0.\u00ad0.1/'],
    ['SS-02', 'http://[::1]/'],
    ['SS-02', 'http://[::]/'],
    ['SS-02', 'http://[::ffff:127.0.0.1]/'],
    ['SS-02', 'http://[::ffff:7f00:1]/'],
    ['SS-02', 'http://[::127.0.0.1]/'],
    ['SS-02', 'http://[::ffff:0:7f00:1]/'],
    ['SS-02', 'http://[64:ff9b::7f00:1]/'],
    ['SS-02', 'http://[2002:7f00:1::]/'],
    ['SS-02', 'http://[2001::]/'],
    ['SS-02', 'http://[fe80::1]/'],
    ['SS-02', 'http://[fec0::1]/'],
    ['SS-02', 'http://[fd00:ec2::254]/'],
    ['SS-02', 'http://[ff02::1]/'],
    ['SS-03', 'http://169.254.169.254/latest/meta-data/'],
    ['SS-03', 'http://100.100.100.200/'],
    ['SS-03', 'http://168.63.129.16/'],
    ['SS-03', 'http://192.0.0.192/'],
    ['SS-03', 'http://metadata.google.internal/'],
    ['SS-03', 'http://printer.local/'],
    ['SS-03', 'http://localhost./'],
    ['SS-03', 'http://intranet/'],
    ['SS-06', 'http://127.0.0.1#@ok.example/'],
    ['SS-06', 'http:127.0.0.1'],
    ['SS-06', 'http:///127.0.0.1'],
    ['SS-06', 'http://127.0\t.0\n.1/'],
    ['SS-12', `http://${'a.'.repeat(130)}example/`],
    ['SS-12', 'http://a..example/'],
  ])('%s refuses %s before any look-up', async (_id, url) => {
    const { fetch, resolved, asked } = await open();
    await expect(fetch(url)).rejects.toThrow(notPublic);
    expect([resolved, asked]).toEqual([[], []]);
  });

  it.each([
    ['SS-06', 'http://127.0.0.1@ok.example/', 'user name'],
    ['SS-06', 'http://ok.example:22/', 'ports 80 and 443'],
    ['SS-06', 'http://ok.example:6379/', 'ports 80 and 443'],
    ['SS-06', 'http://ok%00.example/', 'not an absolute web address'],
    ['SS-12', 'http://ok\0.example/', 'not an absolute web address'],
    ['SS-12', 'http://ok .example/', 'not an absolute web address'],
    ...[
      'file:///etc/passwd',
      'ftp://ok.example/',
      'gopher://ok.example/',
      'data:text/html,x',
      'ws://ok.example/',
    ].map((url): [string, string, string] => ['SS-07', url, 'Only http and https']),
    ['SS-07', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info', 'Only http and https'],
  ])('%s refuses %s', async (_id, url, sentence) => {
    const { fetch, resolved, asked } = await open();
    await expect(fetch(url)).rejects.toThrow(sentence);
    expect([resolved, asked]).toEqual([[], []]);
  });

  it('SS-06 asks the host that was checked, whatever the address looks like', async () => {
    const { fetch, asked } = await open();
    await fetch(String.raw`http://ok.example\@127.0.0.1/x`);
    expect(asked).toEqual(['ok.example/@127.0.0.1/x']);
  });

  it.each([
    ['SS-03', ['127.0.0.1']],
    ['SS-03', ['172.17.0.1']],
    ['SS-03', ['168.63.129.16']],
    ['SS-05', ['93.184.216.34', '10.0.0.1']],
    ['SS-05', ['93.184.216.34', '::1']],
    ['SS-02', ['::ffff:0:7f00:1']],
    ['SS-02', ['fe80::1%eth0']],
    ['SS-05', []],
  ])('%s does not connect to a name with the addresses %j', async (_id, list) => {
    const { fetch, asked, connected } = await open({ 'localtest.example': addresses(...list) });
    await expect(fetch('http://localtest.example/')).rejects.toThrow(unreachable);
    expect([asked, connected]).toEqual([[], []]);
  });

  it('SS-05 connects to the address that was checked, and checks it again for the next fetch', async () => {
    const names = { 'rebind.example': addresses('93.184.216.34') };
    const { fetch, connected, resolved } = await open(names);
    await fetch('http://rebind.example/');
    expect([connected, resolved]).toEqual([['93.184.216.34'], ['rebind.example']]);
    names['rebind.example'] = addresses('127.0.0.1');
    await expect(fetch('http://rebind.example/')).rejects.toThrow(unreachable);
    expect(connected).toEqual(['93.184.216.34']);
  });
});

describe('redirects', () => {
  it.each([
    ['to a private address', 'http://127.0.0.1/', notPublic],
    ['to a file', 'file:///etc/passwd', 'Only http and https'],
    ['to another port', 'http://ok.example:22/', 'ports 80 and 443'],
    ['without an address', '', 'more than 5 times'],
    ['to itself', '/', 'more than 5 times'],
    ['to no address', 'http://[', 'not valid'],
  ])('SS-04 each hop is checked: %s', async (_what, location, sentence) => {
    const { fetch, pages } = await open();
    pages.set('ok.example/', asRedirect(location));
    await expect(fetch('http://ok.example/')).rejects.toThrow(sentence);
  });

  it('SS-04 five hops are followed, also relative ones; a refresh in a page is not', async () => {
    const { text, pages, asked } = await open();
    for (let hop = 0; hop < 5; hop += 1) pages.set(`ok.example/${hop}`, asRedirect(`./${hop + 1}`));
    pages.set('ok.example/5', asHtml('<meta http-equiv="refresh" content="0;url=http://127.0.0.1/">'));
    expect(await text('http://ok.example/0')).toContain('refresh');
    expect(asked).toHaveLength(6);
    pages.set('ok.example/5', asRedirect('./6'));
    await expect(text('http://ok.example/0')).rejects.toThrow('more than 5 times');
  });

  it('SS-04 a redirect from https to http is refused', async () => {
    const { fetch, pages } = await open();
    pages.set('ok.example/', asRedirect('http://ok.example/plain'));
    await expect(fetch('https://ok.example/')).rejects.toThrow('from https to http');
  });

  it('SS-08 a redirect to another host is asked for, a sub-domain too', async () => {
    const { fetch, pages, asked } = await open();
    pages.set('good.example/', asRedirect('http://evil.example/?q=1'));
    pages.set('good.example/sub', asRedirect('http://sub.good.example/'));
    pages.set('good.example/own', asRedirect('/end'));
    const offered: string[] = [];
    const refuse = (next: URL) => {
      offered.push(next.hostname);
      return false;
    };
    const redirect = { kind: 'redirect', url: 'http://evil.example/?q=1' };
    expect(await fetch('http://good.example/', refuse)).toEqual(redirect);
    expect(await fetch('http://good.example/sub', refuse)).toMatchObject({ kind: 'redirect' });
    expect(await fetch('http://good.example/own', refuse)).toMatchObject({ kind: 'body' });
    expect(offered).toEqual(['evil.example', 'sub.good.example']);
    expect(asked.filter((path) => !path.startsWith('good.example'))).toEqual([]);
  });
});

describe('the answer', () => {
  it('SS-09 is read up to its limit, after decompression', async () => {
    const { text, pages } = await open({}, { maxBytes: 1_000 });
    const zipped = (length: number) => gzipSync('x'.repeat(length));
    for (const length of [1_000, 1_001])
      pages.set(`ok.example/${length}`, (reply) =>
        reply.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped(length)),
      );
    expect(await text('http://ok.example/1000')).toHaveLength(1_000);
    await expect(text('http://ok.example/1001')).rejects.toThrow('too large');
  });

  it('SS-09 an endless answer ends, plain or compressed', async () => {
    const { text, pages } = await open();
    const endless = () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(64 * 1024, 120));
        },
      });
    pages.set('ok.example/plain', (reply) => void endless().pipe(reply.writeHead(200)));
    pages.set('ok.example/bomb', (reply) => {
      endless()
        .pipe(createGzip())
        .pipe(reply.writeHead(200, { 'content-encoding': 'gzip' }));
    });
    await expect(text('http://ok.example/plain')).rejects.toThrow('too large');
    await expect(text('http://ok.example/bomb')).rejects.toThrow('too large');
  });

  it('SS-09 an answer of empty compressed blocks ends, although nothing comes out of it', async () => {
    const { text, pages } = await open({}, { maxBytes: 64 * 1024 });
    const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);
    const blocks = Buffer.alloc(20_000, emptyBlock);
    pages.set('ok.example/empty', (reply) => {
      reply.writeHead(200, { 'content-encoding': 'gzip' });
      // The head of a gzip member: magic, deflate, no name, no time.
      reply.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]));
      new Readable({
        read() {
          this.push(blocks);
        },
      }).pipe(reply);
    });
    await expect(text('http://ok.example/empty')).rejects.toThrow('stopped before its end');
  });

  it('SS-09 RX-14 a silent answer ends, before and after its head', async () => {
    const { text, pages } = await open({}, { silenceMs: 200 });
    pages.set('ok.example/silent', () => {});
    pages.set('ok.example/stalled', (reply) => void reply.writeHead(200).write('a'));
    await expect(text('http://ok.example/silent')).rejects.toThrow(unreachable);
    await expect(text('http://ok.example/stalled')).rejects.toThrow('stopped before its end');
  });

  it('SS-09 a head that is too large or a length that is wrong ends it', async () => {
    const { text, pages } = await open();
    pages.set('ok.example/head', (reply) => {
      for (let at = 0; at < 300; at += 1) reply.setHeader(`x-${at}`, 'y'.repeat(100));
      reply.end('x');
    });
    pages.set('ok.example/short', (reply) => {
      reply.writeHead(200, { 'content-length': 10 }).flushHeaders();
      reply.socket?.end('abc');
    });
    await expect(text('http://ok.example/head')).rejects.toThrow(unreachable);
    await expect(text('http://ok.example/short')).rejects.toThrow('stopped before its end');
  });

  it('SS-10 SS-11 is asked for without cookies, Referer and proxy, over redirects too', async () => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
      vi.stubEnv(name, 'http://127.0.0.1:1/');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { fetch, pages } = await open();
    const seen: object[] = [];
    pages.set('ok.example/', (reply, { headers }) => {
      seen.push(headers);
      reply.writeHead(302, { location: '/end', 'set-cookie': 'a=b' }).end();
    });
    pages.set('ok.example/end', (reply, { headers }) => {
      seen.push(headers);
      reply.writeHead(200).end();
    });
    await fetch('http://ok.example/');
    expect(seen).toHaveLength(2);
    for (const headers of seen) {
      expect(headers).toMatchObject({ 'user-agent': 'Drawbridge', connection: 'close' });
      expect(Object.keys(headers)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/cookie|referer|authorization|proxy|gateway/)]),
      );
    }
  });

  it.each([
    ['a closed port', (socket: Socket) => socket.resetAndDestroy()],
    ['another protocol', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.9 secret\r\n')],
    ['no answer', (socket: Socket) => socket.end()],
  ])('SS-13 %s has the sentence of every failure to connect', async (_what, answer) => {
    const server = createServer(answer);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    // A server that listens on TCP has such an address.
    const { port } = server.address() as AddressInfo;
    const guarded = createGuardedFetch({
      resolve: async () => [],
      buildConnector: () => {
        const connect = buildConnector({});
        return (target, done) => connect({ ...target, hostname: '127.0.0.1', port: String(port) }, done);
      },
    });
    onTestFinished(() => guarded.close());
    const { signal } = new AbortController();
    for (const scheme of ['http', 'https']) {
      const asked = guarded.fetch(`${scheme}://ok.example/`, { mayFollow: () => true, signal });
      await expect(asked).rejects.toThrow(new Error(unreachable));
    }
  });

  it('SS-13 a name that does not exist has the same sentence', async () => {
    const { outside } = await openWebSite();
    const guarded = createGuardedFetch({ ...outside, resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    onTestFinished(() => guarded.close());
    const { signal } = new AbortController();
    const asked = guarded.fetch('http://gone.example/', { mayFollow: () => true, signal });
    await expect(asked).rejects.toThrow(new Error(unreachable));
  });

  it('an abort ends it with the reason of the signal', async () => {
    const { guarded, pages } = await open();
    const stop = new AbortController();
    pages.set('ok.example/', () => stop.abort(new Error('stopped')));
    const asked = guarded.fetch('http://ok.example/', { mayFollow: () => true, signal: stop.signal });
    await expect(asked).rejects.toThrow('stopped');
  });

  it('a status of failure is a sentence', async () => {
    const { fetch, pages } = await open();
    pages.set('ok.example/', (reply) => reply.writeHead(404).end('secret'));
    await expect(fetch('http://ok.example/')).rejects.toThrow(
      new Error('The page answered with status 404.'),
    );
  });
});
