import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { statusOf, until } from '../../../../test/support/egress-fixture.ts';
import { listing, sharedGate } from '../../../../test/support/git-gate-fixture.ts';

const { world, open: openGate } = sharedGate();

const refs = '/github.com/ada/demo/info/refs?service=git-upload-pack';

describe('requests that reach the gate', () => {
  it.each([
    ['another repository', 'GET', '/github.com/ada/secret/info/refs?service=git-upload-pack'],
    ['dots', 'GET', '/github.com/ada/demo/../secret/info/refs?service=git-upload-pack'],
    ['dots at the end', 'GET', '/github.com/ada/secret/..%2fdemo/info/refs?service=git-upload-pack'],
    ['escaped dots', 'GET', '/github.com/ada/%2e%2e/demo/info/refs?service=git-upload-pack'],
    ['a double slash', 'GET', '/github.com/ada//demo/info/refs?service=git-upload-pack'],
    ['`.git` twice', 'GET', '/github.com/ada/demo.git.git/info/refs?service=git-upload-pack'],
    ['another case', 'GET', '/github.com/ada/Demo/info/refs?service=git-upload-pack'],
    ['a longer name', 'GET', '/github.com/ada/demo-x/info/refs?service=git-upload-pack'],
    ['a folder below', 'GET', '/github.com/ada/demo/x/info/refs?service=git-upload-pack'],
    ['more in the query', 'GET', `${refs}&x=1`],
    ['two services', 'GET', `${refs}&service=git-receive-pack`],
    [
      'a query before',
      'GET',
      '/github.com/ada/secret?/github.com/ada/demo/info/refs?service=git-upload-pack',
    ],
    ['another host', 'GET', '/other.test/ada/demo/info/refs?service=git-upload-pack'],
    ['a user in the host', 'GET', '/x@github.com/ada/demo/info/refs?service=git-upload-pack'],
    ['a port', 'GET', '/github.com:8443/ada/demo/info/refs?service=git-upload-pack'],
  ])('SH-76 %s is refused', async (_case, method, path) => {
    const { ask, seen, dialled } = openGate();
    expect([statusOf(await ask(method, path)), seen, dialled]).toEqual([403, [], []]);
  });

  it.each([
    ['the interface for programs', 'GET', '/github.com/user'],
    ['a file of the repository', 'GET', '/github.com/ada/demo.git/HEAD'],
    ['a list without a service', 'GET', '/github.com/ada/demo/info/refs'],
    ['archives', 'GET', '/github.com/ada/demo/info/refs?service=git-upload-archive'],
    ['archives', 'POST', '/github.com/ada/demo/git-upload-archive'],
    ['what every object has', 'POST', '/github.com/ada/demo/constructor'],
    ['what every object has', 'GET', '/github.com/ada/demo/info/refs?service=constructor'],
    ['large files', 'POST', '/github.com/ada/demo.git/info/lfs/objects/batch'],
    ['a service by GET', 'GET', '/github.com/ada/demo/git-upload-pack'],
    ['a list by POST', 'POST', refs],
    ['another method', 'DELETE', '/github.com/ada/demo/git-receive-pack'],
    ['a header alone', 'HEAD', refs],
  ])('SH-77 %s is refused', async (_case, method, path) => {
    const { ask, seen, gate } = openGate();
    expect([statusOf(await ask(method, path, ['Content-Length: 0'])), seen]).toEqual([403, []]);
    expect(gate.notes()[0]).toContain('got a request that git does not need');
  });

  it('SH-76 of many refused repositories the first 20 are named', async () => {
    const { ask, gate } = openGate();
    for (let at = 0; at < 21; at += 1)
      await ask('GET', `/github.com/ada/r${at}/info/refs?service=git-upload-pack`);
    expect([gate.notes().length, gate.notes().at(-1)]).toEqual([20, expect.stringContaining('ada/r19')]);
  });

  it('SH-76 a permission to fetch covers neither the list for a push nor the push', async () => {
    const { ask, seen, gate } = openGate({ access: 'fetch' });
    const asked = [
      await ask('GET', '/github.com/ada/demo/info/refs?service=git-receive-pack'),
      await ask('POST', '/github.com/ada/demo/git-receive-pack', ['Content-Length: 4'], '0000'),
    ];
    expect([asked.map(statusOf), seen]).toEqual([[403, 403], []]);
    expect(gate.notes()[0]).toContain('"access":"push"');
  });
});

// The login is that of git.
describeWith('git')('requests that the gate repeats', () => {
  it('SH-78 only headers that git needs reach the host, with the login', async () => {
    const { ask, seen } = openGate();
    const answer = await ask('GET', refs, [
      'Authorization: Basic eDp5',
      'Cookie: a=b',
      'X-Forwarded-Host: evil.test',
      'X-HTTP-Method-Override: DELETE',
      'User-Agent: data',
      'Accept: data',
      'Accept-Language: data',
      'Git-Protocol: version=2:evil=1',
      'Accept-Encoding: deflate, gzip, br, zstd',
      'Connection: authorization',
    ]);
    expect(statusOf(answer)).toBe(200);
    expect(seen).toEqual([
      {
        method: 'GET',
        url: '/ada/demo/info/refs?service=git-upload-pack',
        headers: {
          host: 'github.com',
          'user-agent': 'git/2.0 (drawbridge)',
          authorization: `Basic ${Buffer.from('ada:sesame').toString('base64')}`,
          accept: '*/*',
          'accept-encoding': 'gzip',
          connection: expect.any(String),
        },
      },
    ]);
  });

  it('SH-78 a body goes on as gzip or without an encoding', async () => {
    const { ask, seen } = openGate();
    for (const encoding of ['br', 'gzip, gzip', 'gzip'])
      await ask(
        'POST',
        '/github.com/ada/demo/git-upload-pack',
        [`Content-Encoding: ${encoding}`, 'Content-Length: 4'],
        '0000',
      );
    expect(seen.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, undefined, 'gzip']);
  });

  it.each<[string, number, Record<string, string>, string]>([
    ['a redirect', 302, { location: 'https://evil.test/' }, 'redirects to'],
    ['a challenge', 401, { 'www-authenticate': 'Basic realm="x"' }, 'login of the user is not accepted'],
    ['a page', 200, { 'content-type': 'text/html' }, 'git does not use'],
    ['the list of a plain server', 200, { 'content-type': 'text/plain' }, 'git does not use'],
    ['a failure', 500, {}, 'git does not use'],
    ['nothing there', 404, {}, 'not found'],
  ])('SH-79 %s of the host ends there, after one request', async (_case, status, headers, words) => {
    const { ask, seen, gate } = openGate({
      site: (_request, answer) => answer.writeHead(status, { ...headers, 'set-cookie': 'a=b' }).end('secret'),
    });
    const answer = await ask('GET', refs);
    expect([statusOf(answer), seen.length, gate.notes().join()]).toEqual([
      403,
      1,
      expect.stringContaining(words),
    ]);
    expect(answer).not.toMatch(/location|www-authenticate|set-cookie|secret/i);
  });

  it('SH-79 headers of an answer that git does not need are left out', async () => {
    const headers = { 'content-type': listing, 'set-cookie': 'a=b', 'x-more': 'y', 'content-encoding': 'br' };
    const { ask } = openGate({ site: (_request, answer) => answer.writeHead(200, headers).end('list') });
    const answer = await ask('GET', refs);
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toMatch(/set-cookie|x-more|content-encoding/i);
  });

  it('SH-54 a host with a certificate of another one gets no login', async () => {
    const { ask, seen, gate } = openGate({ repository: 'wrong.test/ada/demo' });
    const answer = await ask('GET', '/wrong.test/ada/demo/info/refs?service=git-upload-pack');
    expect([statusOf(answer), seen, gate.notes()[0]]).toEqual([
      403,
      [],
      expect.stringContaining('without a valid certificate'),
    ]);
  });

  it('SH-48 a host on a private network is not connected without local:', async () => {
    const { ask, dialled, gate } = openGate({ repository: 'home.test/ada/demo' });
    writeFileSync(
      join(world().home, 'logins'),
      'https://ada:sesame@home.test\nhttps://ada:sesame@github.com\n',
    );
    await ask('GET', '/home.test/ada/demo/info/refs?service=git-upload-pack');
    expect([dialled, gate.notes()[0]]).toEqual([[], expect.stringContaining('ask for it as local:')]);
  });
});

const zero = '0'.repeat(40);
const change = (after: string) => {
  const text = `${'1'.repeat(40)} ${after} refs/heads/main\0report-status`;
  return `${(text.length + 4).toString(16).padStart(4, '0')}${text}0000`;
};
const receive = '/github.com/ada/demo/git-receive-pack';

describeWith('git')('pushes through the gate', () => {
  const chunked = (body: string, size: number) =>
    `${(body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;

  it.each([
    ['in one piece', [`Content-Length: ${change(zero).length}`], change(zero)],
    ['in chunks', ['Transfer-Encoding: chunked'], chunked(change(zero), 40)],
    ['one byte at a time', ['Transfer-Encoding: chunked'], chunked(change(zero), 1)],
    [
      'compressed',
      ['Content-Encoding: gzip', `Content-Length: ${change('a'.repeat(40)).length}`],
      change('a'.repeat(40)),
    ],
    ['cut off', ['Content-Length: 20'], change(zero).slice(0, 20)],
  ])('SH-81 a deletion %s is refused, and the host is not connected', async (_case, headers, body) => {
    const { ask, seen, dialled, gate } = openGate();
    expect([statusOf(await ask('POST', receive, headers, body)), seen, dialled, gate.pushes()]).toEqual([
      403,
      [],
      [],
      [],
    ]);
  });

  it('passes what it has read with the rest', async () => {
    const body = `${change('a'.repeat(40))}PACK and more`;
    let got = '';
    const { ask, gate } = openGate({
      site: (request, answer) => {
        request.on('data', (chunk) => (got += String(chunk)));
        request.on('end', () =>
          answer.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' }).end('done'),
        );
      },
    });
    const answer = await ask('POST', receive, ['Transfer-Encoding: chunked'], chunked(body, 50));
    expect([statusOf(answer), got, gate.pushes()]).toEqual([
      200,
      body,
      [{ repository: 'github.com/ada/demo', created: [], updated: ['refs/heads/main'] }],
    ]);
  });
});

describeWith('git')('the login and the permission', () => {
  it('its end ends what is open', async () => {
    const { ask, seen, gate } = openGate({ site: () => undefined });
    const asked = ask('GET', refs);
    await until(() => expect(seen).toHaveLength(1));
    gate.close();
    await asked;
  });

  it('SH-83 helpers of git run outside of every repository and do not ask the person, nor does a program of the settings', async () => {
    const { home, own } = world();
    const settings = join(home, '.gitconfig');
    const asked = join(home, 'asked');
    const asking = join(home, 'asking');
    const usual = readFileSync(settings, 'utf8');
    onTestFinished(() => writeFileSync(settings, usual));
    writeFileSync(asking, `#!/bin/sh\ntouch ${asked}\necho x\n`, { mode: 0o700 });
    const silent = ['interactive', 'guiPrompt'].map(
      (key) => `test "$(git config credential.${key})" = false`,
    );
    const helper = `!f() { ${silent.join(' && ')} && test "$GIT_TERMINAL_PROMPT" = 0 && test "$PWD" = ${join(own, 'git')} && printf 'username=ada\\npassword=sesame\\n'; }; f`;
    const withSettings = async (text: string) => {
      writeFileSync(settings, text);
      const { ask, gate } = openGate();
      return [statusOf(await ask('GET', refs)), gate.notes().length, existsSync(asked)];
    };
    expect(await withSettings(`[credential]\n\thelper = ${JSON.stringify(helper)}\n`)).toEqual([
      200,
      0,
      false,
    ]);
    expect(await withSettings(`[core]\n\taskPass = ${asking}\n`)).toEqual([403, 1, false]);
  });

  it('a host for which no login is stored is refused with a sentence', async () => {
    const { ask, seen, gate } = openGate({ repository: 'wrong.test:444/ada/demo' });
    await ask('GET', '/wrong.test:444/ada/demo/info/refs?service=git-upload-pack');
    expect([seen, gate.notes()[0]]).toEqual([[], expect.stringContaining('has no stored login')]);
  });

  it('a helper that asks the person ends after 5 s', async () => {
    const clock = createFakeClock();
    const { home } = world();
    const settings = join(home, '.gitconfig');
    const started = join(home, 'started');
    writeFileSync(settings, `[credential]\n\thelper = "!touch ${started}; sleep 1000; :"\n`);
    const { ask, gate } = openGate({ clock });
    const asked = ask('GET', refs);
    await until(() => expect(existsSync(started)).toBe(true));
    await clock.advance(5_000);
    await asked;
    expect(gate.notes()[0]).toContain('has no stored login');
  });

  it('SH-87 a permission that ends cuts what is open', async () => {
    writeFileSync(
      join(world().home, '.gitconfig'),
      `[credential]\n\thelper = store --file=${join(world().home, 'logins')}\n`,
    );
    const { ask, seen, withdraw, gate } = openGate({ site: () => undefined });
    const asked = ask('GET', refs);
    await until(() => expect(seen).toHaveLength(1));
    withdraw();
    await asked;
    await ask('GET', refs);
    expect([seen.length, gate.notes().at(-1)]).toEqual([1, expect.stringContaining('allowed no longer')]);
  });
});
