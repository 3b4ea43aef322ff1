import { describe, expect, it } from 'vitest';
import { helloFor, inTwoRecords, splitAt } from '../../../../test/support/client-hello.ts';
import {
  connectTo,
  ended,
  get,
  sharedEgress,
  statusOf,
  through,
  until,
} from '../../../../test/support/egress-fixture.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';

const open = sharedEgress();

/** The second record says that it is no handshake. */
const withSecondKind = (records: Buffer): Buffer => {
  records[5 + records.readUInt16BE(3)] = 0x17;
  return records;
};

describe('TLS', () => {
  it('reaches the host that was asked for, and nothing before its first bytes', async () => {
    const world = await open();
    const hello = await helloFor('good.test');
    const { text } = await through(world, 'good.test:443', splitAt(hello, 40));
    await until(() => expect(text()).not.toBe(''));
    expect([world.dialled, world.refused]).toEqual([[`${publicAddress}:443`], []]);
  });

  it.each<[string, (good: Buffer, evil: Buffer, none: Buffer) => Buffer]>([
    ['another host', (_good, evil) => evil],
    ['no host', (_good, _evil, none) => none],
    [
      'a longer name',
      (good) => Buffer.from(good.toString('latin1').replace('good.test', 'good.tesT\0'), 'latin1'),
    ],
    [
      'a NUL in the name',
      (good) => Buffer.from(good.toString('latin1').replace('good.test', 'good\0test'), 'latin1'),
    ],
    ['SSH', () => Buffer.from('SSH-2.0-x\r\n')],
    ['HTTP', () => Buffer.from('GET / HTTP/1.1\r\nHost: good.test\r\n\r\n')],
    ['garbage', () => Buffer.alloc(200, 7)],
    ['a record of another kind inside', (good) => withSecondKind(inTwoRecords(good, 60))],
    [
      'records without an end',
      () =>
        Buffer.concat(
          Array.from({ length: 9 }, () =>
            Buffer.concat([Buffer.from([0x16, 3, 1, 0x40, 0, 1, 1, 0, 0]), Buffer.alloc(16_380)]),
          ),
        ),
    ],
  ])('SH-54, SH-55 %s on port 443 is not connected', async (_case, bytes) => {
    const world = await open();
    const sent = bytes(await helloFor('good.test'), await helloFor('evil.test'), await helloFor());
    const { socket, text } = await through(world, 'good.test:443', [sent]);
    await ended(socket);
    expect([world.dialled, world.refused, text()]).toEqual([[], ['good.test protocol'], '']);
  });

  it('SH-55 TLS for another host on another port, and TLS or HTTP on 22, are refused', async () => {
    const world = await open();
    const evil = await helloFor('evil.test');
    const byteStream = await through(world, 'good.test:5432', [evil]);
    await ended(byteStream.socket);
    const ssh = await through(world, 'good.test:22', [evil]);
    await ended(ssh.socket);
    const http = await through(world, 'good.test:22', [Buffer.from('GET / HTTP/1.1\r\n\r\n')]);
    await ended(http.socket);
    expect(world.refused).toEqual([
      'good.test:5432 protocol',
      'good.test:22 protocol',
      'good.test:22 protocol',
    ]);
    expect(world.dialled).toEqual([`${publicAddress}:5432`]);
  });
});

describe('other ports', () => {
  it('a host that speaks first is heard, and bytes pass both ways', async () => {
    const world = await open();
    const { socket, text } = await through(world, 'good.test:5432', []);
    socket.end('hello');
    await ended(socket);
    expect(text()).toBe('ready hello');
  });

  it('SSH ends one way before the other', async () => {
    const world = await open();
    const { socket, text } = await through(world, 'good.test:22', [Buffer.from('SSH-2.0-client\r\n')]);
    socket.end();
    await ended(socket);
    expect(text()).toBe('SSH-2.0-server\r\nbye');
  });

  it.each(['evil.test:443', 'good.test.evil.test:443', '127.0.0.1:443', '[::1]:443'])(
    'SH-47 CONNECT to %s is refused before it is connected',
    async (target) => {
      const world = await open();
      expect(statusOf(await world.say(connectTo(target)))).toBe(403);
      expect([world.dialled, world.refused.length]).toEqual([[], 1]);
    },
  );
});

it.each([
  ['octal', '0177.0.0.1:443'],
  ['hex', '0x7f.0.0.1:443'],
  ['decimal', '2130706433:443'],
  ['short', '127.1:443'],
  ['NUL', 'good.test\0.evil.test:443'],
  ['encoded', 'good.test%00.evil.test:443'],
  ['a user', 'good.test@evil.test:443'],
  ['a fragment', 'good.test#.evil.test:443'],
  ['a backslash', 'good.test\\evil.test:443'],
  ['a full-width dot', 'good．test:443'],
  ['no port', 'good.test'],
  ['port zero', 'good.test:0'],
  ['a long port', 'good.test:00443'],
  ['port 65536', 'good.test:65536'],
  ['an address with a zone', '[fe80::1%lo]:443'],
  ['half an address', '[1:2]:443'],
  ['an empty label', 'good..test:443'],
  ['two colons', 'good.test:443:443'],
])('SH-59 CONNECT to a host in %s is no request', async (_case, target) => {
  const world = await open();
  expect(statusOf(await world.say(Buffer.from(connectTo(target), 'utf8')))).toBe(400);
  expect([world.dialled, world.resolved, world.refused]).toEqual([[], [], []]);
});

it('SH-59 a trailing dot and upper case are the same host', async () => {
  const world = await open();
  const { text } = await through(world, 'GOOD.test.:443', [await helloFor('good.test')]);
  await until(() => expect(text()).not.toBe(''));
  expect(world.resolved).toEqual(['good.test']);
});

describe('HTTP', () => {
  it('forwards one request without what is for the proxy, and answers without what is for it', async () => {
    const { say } = await open();
    const answer = await say(
      get(
        'http://good.test/hop?a=b',
        'Host: good.test',
        'Connection: close, x-mine',
        'X-Mine: 1',
        'X-Kept: 2',
        'Proxy-Authorization: Basic x',
        'TE: trailers',
        'Upgrade: h2c',
      ),
    );
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toMatch(/x-named|proxy-authenticate/i);
    expect(answer).toContain('"x-kept":"2"');
    expect(answer).not.toMatch(/x-mine|proxy-authorization|"te"|upgrade/i);
    expect(answer).toContain('"url":"/hop?a=b"');
  });

  it('SH-57 what is written for the host that was checked stays, whatever Connection says', async () => {
    const { say } = await open();
    const answer = await say(
      'POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nConnection: close, host, content-length\r\nContent-Length: 5\r\n\r\nhello',
    );
    expect(answer).toContain('"host":"good.test"');
    expect(answer).toContain('"content-length":"5"');
  });

  it('forwards a body, chunked or with its length', async () => {
    const { say } = await open();
    const head = 'POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\n';
    const answers = [
      await say(`${head}Content-Length: 5\r\n\r\nhello`),
      await say(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
      await say(
        `GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      ),
    ];
    for (const answer of answers) expect(answer).toContain('"body":"hello"');
  });

  it.each<[string, string]>([
    ['another Host', get('http://good.test/', 'Host: evil.test')],
    ['two Hosts', get('http://good.test/', 'Host: good.test', 'Host: evil.test')],
    ['the same Host twice', get('http://good.test/', 'Host: good.test', 'Host: good.test')],
    ['no Host', get('http://good.test/')],
    ['another port in Host', get('http://good.test/', 'Host: good.test:8080')],
    ['the port of https in Host', get('http://good.test/', 'Host: good.test:443')],
    ['a user name', get('http://user:pw@good.test/', 'Host: good.test')],
    ['a host that looks like a user', get('http://good.test@evil.test/', 'Host: good.test')],
    ['an https URL', get('https://good.test/', 'Host: good.test')],
    ['a path', get('/', 'Host: good.test')],
    ['another scheme', get('ftp://good.test/', 'Host: good.test')],
    ['a backslash', get('http://good.test\\@evil.test/', 'Host: good.test')],
  ])('SH-57 %s is refused', async (_case, request) => {
    const world = await open();
    expect(statusOf(await world.say(request))).toBe(400);
    expect([world.dialled, world.resolved]).toEqual([[], []]);
  });

  it.each<[string, string]>([
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['another encoding', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['chunks by another name', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X-A: b\r\n c\r\n\r\n'],
    ['a name with a blank', 'Content-Length : 5\r\n\r\nhello'],
    ['too many headers', `X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('SH-58 a body with %s reaches no host', async (_case, rest) => {
    const world = await open();
    const answer = await world.say(`POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\n${rest}`);
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
    expect(answer).not.toContain('"body"');
  });

  it('SH-58 a broken chunk ends the request, and a second request in one write is not answered', async () => {
    const world = await open();
    await world.say(
      'POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n',
    );
    const both = await world.say(
      get('http://good.test/1', 'Host: good.test') + get('http://other.test/2', 'Host: other.test'),
    );
    expect(both.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(both).toContain('"url":"/1"');
    const before = world.dialled.length;
    await world.say(get('http://good.test/', 'Host: good.test', `X-A: ${'a'.repeat(20_000)}`));
    expect(world.dialled).toHaveLength(before);
  });

  it('SH-55, SH-57 HTTP in a CONNECT to 80 is checked like any other', async () => {
    const world = await open();
    const tunnel = connectTo('good.test:80');
    expect(await world.say(tunnel + get('/in', 'Host: good.test'))).toContain('"url":"/in"');
    const evil = ['Host: evil.test', 'Host: good.test:81'].map((host) => tunnel + get('/in', host));
    const absolute = tunnel + get('http://evil.test/', 'Host: evil.test');
    const nested = tunnel + connectTo('good.test:443');
    const whole = tunnel + get('http://good.test/', 'Host: good.test');
    for (const bytes of [...evil, absolute, whole, nested]) expect(await world.say(bytes)).toMatch(/ 400 /);
    expect((await world.say(tunnel, await helloFor('good.test'))).includes('"url"')).toBe(false);
    expect(world.dialled).toEqual([`${publicAddress}:80`]);
  });
});

it('SH-52 is asked about all addresses of one look, and connects to these', async () => {
  const asked: (readonly string[])[] = [];
  let looks = 0;
  const world = await open({
    resolve: async () => [publicAddress, looks++ === 0 ? '10.0.0.1' : '10.0.0.2'],
    mayConnect: async (_place, addresses) => {
      asked.push(addresses);
      return null;
    },
  });
  await world.say(get('http://good.test/', 'Host: good.test'));
  expect([asked, world.dialled]).toEqual([
    [[publicAddress, '10.0.0.1']],
    [`${publicAddress}:80`, '10.0.0.1:80'],
  ]);
});

it('lets no client through without what it has to show', async () => {
  const world = await open({ authorization: 'Basic eA==' });
  const request = get('http://good.test/', 'Host: good.test', 'Proxy-Authorization: Basic eQ==');
  const answers = [await world.say(request), await world.say(connectTo('good.test:443'))];
  expect([answers.map(statusOf), world.resolved]).toEqual([[407, 407], []]);
});
