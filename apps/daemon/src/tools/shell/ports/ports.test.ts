import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { allText } from '../../../../test/support/browser-fixture.ts';
import { ada, ben, sharedProcesses, thePerson } from '../../../../test/support/process-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const node = JSON.stringify(process.execPath);

/** A development server: pages that reload when their file changes, by a connection that is upgraded. */
const devServer = `
const { createServer } = require('node:http');
const { readFileSync, watchFile } = require('node:fs');
const { createHash } = require('node:crypto');
const server = createServer((request, answer) => {
  answer.setHeader('content-type', 'text/html');
  if (request.url === '/host') return answer.end(request.headers.host);
  answer.end(readFileSync('page.html', 'utf8') + '<script>const link = new WebSocket("ws://" + location.host);' +
    'link.onopen = () => document.body.append(" linked"); link.onmessage = () => location.reload();</script>');
});
const links = new Set();
server.on('upgrade', (request, socket) => {
  const key = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + key + '\\r\\n\\r\\n');
  socket.on('error', () => links.delete(socket));
  links.add(socket);
});
watchFile('page.html', { interval: 50 }, () => { for (const one of links) one.write(Buffer.from([0x81, 2, 0x68, 0x69])); });
server.listen(5173, process.argv[2] || '127.0.0.1', () => console.log('Local: http://localhost:5173/'));
`;

const serve = `${node} dev.cjs`;
const started = { ports: [5173], waitFor: ['Local:'], waitMs: 20_000 };

/** Bytes that a port of this machine answers, until it closes. */
const get = async (port: number, path = '/host', host = 'x'): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => void (text += chunk.toString()));
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await closed;
  return text;
};

describeWith('bubblewrap')('ports of a process', () => {
  const world = sharedProcesses();
  const begin = async (command = serve, more: Record<string, unknown> = {}) => {
    const opened = await world();
    writeFileSync(join(opened.root, 'dev.cjs'), devServer);
    writeFileSync(join(opened.root, 'page.html'), 'first');
    const { process: id } = await opened.start(command, { ...started, ...more });
    const open = async (port: number) => opened.toolbox.processes({ type: 'open', process: id, port });
    const openedAt = async () => {
      const answer = await open(5173);
      if ('refused' in answer || answer.opened === undefined) throw new Error('not opened');
      return answer.opened;
    };
    return { ...opened, id, open, openedAt };
  };

  it('SU-45 is open to the person at its own name until it ends, and says where it listens', async () => {
    const { id, openedAt, read, open, stop } = await begin();
    const { url, port } = await openedAt();
    const here = Number(new URL(url).port);
    expect([port, new URL(url).hostname]).toEqual([5173, `${id}.localhost`]);
    expect(await get(here, '/host', new URL(url).host)).toMatch(new RegExp(`${id}\\.localhost:${here}$`));
    expect((await openedAt()).url).toBe(url);
    expect(await read(id)).toMatchObject({ ports: [5173], listening: [5173] });
    expect(await open(5174)).toMatchObject({ refused: 'unknown' });
    await stop(id);
    await expect(once(connect(here, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    expect(await open(5173)).toMatchObject({ refused: 'unknown' });
  });

  it('one that listens on IPv6 only; what is not there is closed at once', async () => {
    const { openedAt, id, toolbox } = await begin(`${serve} ::1`, { ports: [5173, 5200] });
    expect(await get(Number(new URL((await openedAt()).url).port))).toContain('200 OK');
    const closed = await toolbox.processes({ type: 'open', process: id, port: 5200 });
    const url = 'opened' in closed ? (closed.opened?.url ?? '') : '';
    expect(await get(Number(new URL(url).port))).toBe('');
  });

  it('carries many bytes both ways, whole, 50 at once, and is idle no longer while it does', async () => {
    const echo = `${node} -e "require('net').createServer({ allowHalfOpen: true }, (c) => c.pipe(c)).listen(5173, () => console.log('Local:'))"`;
    const { openedAt } = await begin(echo);
    const port = Number(new URL((await openedAt()).url).port);
    const size = 1024 * 1024;
    const sizes = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        let sum = 0;
        let length = 0;
        socket.on('data', (chunk: Buffer) => {
          length += chunk.length;
          for (let byte = 0; byte < chunk.length; byte += 4_096) sum += chunk[byte] === at ? 0 : 1;
        });
        socket.end(Buffer.alloc(size, at));
        await once(socket, 'end');
        return length + sum;
      }),
    );
    expect(sizes).toEqual(sizes.map(() => size));
  });

  it('SH-73 is not open where the process was not started with it, and nothing is taken for another process', async () => {
    const { start, toolbox } = await begin();
    const { process: other } = await start('sleep 1000');
    expect(await toolbox.processes({ type: 'open', process: other, port: 5173 })).toMatchObject({
      refused: 'unknown',
    });
    expect(await toolbox.processes({ type: 'open', process: 'p1-000000', port: 5173 })).toMatchObject({
      refused: 'unknown',
    });
  });

  it.each([80, 1023, 3128, 3129])('port %i is refused: a command cannot have it', async (port) => {
    const { callAs } = await world();
    expect(await callAs(ada, 'process_start', { command: 'true', ports: [port] })).toContain('cannot have');
  });

  it('SH-71, SH-72 a program that imitates the relay, floods it or ends it, ends the way into its own process only', async () => {
    const flood = `
const { connect } = require('node:net');
for (const line of ['control', 'x'.repeat(70), 'closed x']) { const c = connect(3129, '127.0.0.1'); c.on('error', () => {}); c.write(line + '\\n'); c.write('closed a\\n'.repeat(1000)); }
for (let at = 0; at < 300; at++) connect(3129, '127.0.0.1').on('error', () => {});
setTimeout(() => {
  const fs = require('node:fs');
  for (const pid of fs.readdirSync('/proc').filter(Number))
    if (fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1').endsWith('/relay.cjs\\0')) process.kill(pid);
  console.log('ended');
}, 300);
`;
    const { openedAt, id, root, start, read, toolbox } = await begin(
      `${node} dev.cjs & until [ -e flood ]; do sleep 0.02; done; ${node} flood.cjs; wait`,
    );
    writeFileSync(join(root, 'flood.cjs'), flood);
    const port = Number(new URL((await openedAt()).url).port);
    expect(await get(port)).toContain('200 OK');
    const { process: other } = await start(`${node} dev.cjs`, started);
    writeFileSync(join(root, 'flood'), '');
    await read(id, { cursor: 0, waitFor: ['ended'], waitMs: 20_000 });
    const others = await toolbox.processes({ type: 'open', process: other, port: 5173 });
    const url = 'opened' in others ? (others.opened?.url ?? '') : '';
    expect(await get(Number(new URL(url).port))).toContain('200 OK');
    expect(await read(id)).toMatchObject({ state: 'running' });
  });

  it('SH-72 1,000 connections leave the daemon answering, and a connection afterwards', async () => {
    const { openedAt, id, read } = await begin();
    const port = Number(new URL((await openedAt()).url).port);
    for (let round = 0; round < 5; round += 1) {
      const sockets = Array.from({ length: 200 }, () =>
        connect(port, '127.0.0.1').on('error', () => undefined),
      );
      await Promise.all(sockets.map((one) => once(one, 'connect')));
      for (const one of sockets) one.destroy();
    }
    expect(await read(id)).toMatchObject({ state: 'running' });
    await expect.poll(async () => get(port)).toContain('200 OK');
  });

  it('SH-75 what listens on all addresses inside is reached by no port of this machine', async () => {
    const { id, read } = await begin(`${serve} 0.0.0.0`);
    expect(await read(id)).toMatchObject({ listening: [5173] });
    const free = createServer().listen(5173, '127.0.0.1');
    await once(free, 'listening');
    free.close();
  });

  it('without ports nothing runs beside it, and it has no descriptor and no variable of the relay', async () => {
    const { start } = await world();
    const command = `${node} -e "console.log(require('fs').readdirSync('/proc').filter((one) => +one).length, Object.keys(process.env).filter((one) => one.startsWith('DRAWBRIDGE_')).join())"; ls /proc/self/fd | tr '\\n' ' '`;
    const more = { waitFor: ['never'], waitMs: 10_000 };
    const [plain, withPorts] = [await start(command, more), await start(command, { ...more, ports: [5173] })];
    const [one, two] = [plain, withPorts].map(({ output }) => output.split('\n'));
    expect(Number(one?.[0]?.split(' ')[0]) + 1).toBe(Number(two?.[0]?.split(' ')[0]));
    expect(two?.[0]?.split(' ')[1]).toBe(one?.[0]?.split(' ')[1]);
    expect(two?.[1]).toBe(one?.[1]);
  });
});

describeWith('bubblewrap')('the question about ports', () => {
  const world = sharedProcesses({ modes: { shell: 'ask' } });

  it('names the ports, and an answer for other ports does not count', async () => {
    const { callAs, questions, state } = await world();
    state.answer = { decision: 'allowForSession', reach: 'exact' };
    const ask = async (ports?: number[]) => {
      questions.length = 0;
      await callAs(ada, 'process_start', { command: 'true', ...(ports && { ports }) });
      return questions.map(({ description }) => description);
    };
    expect(await ask([5173, 3000])).toEqual([
      expect.stringContaining("with its ports 3000 and 5173 open to the agent's browser"),
    ]);
    expect(await ask([3000, 5173, 3000])).toEqual([]);
    expect(await ask([5173])).toEqual([expect.stringContaining('with its port 5173 open')]);
    expect(await ask()).toHaveLength(1);
  });
});

describeWith('bubblewrap', 'chromium')('the browser and a process', () => {
  const browser = {
    mode: 'ephemeral' as const,
    serverUrl: 'http://127.0.0.1:9',
    resolve: async () => ['127.0.0.1'],
  };
  const world = sharedProcesses({ modes: { browser: 'ask' }, toolsets: { browser } });

  it('SU-46, SH-73, SH-74 opens it without a question, follows its edits, and for its caller alone', async () => {
    const { start, send, questions, state, root, stop } = await world();
    writeFileSync(join(root, 'dev.cjs'), devServer);
    writeFileSync(join(root, 'page.html'), '<body>first</body>');
    state.answer = { decision: 'denyOnce' };
    const { process: id } = await start(serve, started);
    questions.length = 0;
    const browse = async (caller: typeof ada, name: string, args: Record<string, unknown> = {}) =>
      allText(await send({ requestId: `${Math.random()}`, toolCall: { name, arguments: args }, caller }));
    const url = `http://${id}.localhost:5173/`;
    expect(await browse(ada, 'browser_navigate', { url })).toContain(`${id}.localhost:5173`);
    expect(await browse(ada, 'browser_wait_for', { text: 'first linked' })).toContain('first');
    writeFileSync(join(root, 'page.html'), '<body>second</body>');
    expect(await browse(ada, 'browser_wait_for', { text: 'second linked' })).toContain('second');
    const tries = ['http://127.0.0.1:9/', 'http://localhost:5173/', `http://${id}.localhost:5174/`];
    const script = `document.cookie = 'a=1; domain=localhost';
      Promise.allSettled(${JSON.stringify(tries)}.map((at) => fetch(at, { mode: 'no-cors' })))
        .then((all) => document.body.append(' tried:' + document.cookie + all.map(({ status }) => status)))`;
    writeFileSync(join(root, 'page.html'), `<body>third<script>${script}</script></body>`);
    await browse(ada, 'browser_wait_for', { text: 'tried:rejected,rejected,rejected' });
    expect(await browse(ada, 'browser_snapshot')).toContain('tried:rejected,rejected,rejected');
    expect(questions).toEqual([]);

    expect(await browse(ben, 'browser_navigate', { url })).toContain('No process of yours');
    expect(await browse(ben, 'browser_snapshot')).toContain('denied');
    expect(questions.map(({ title }) => title)).toEqual([expect.stringContaining(`${id}.localhost:5173`)]);
    expect(await browse(thePerson, 'browser_navigate', { url: `${url}host` })).toContain(
      `${id}.localhost:5173`,
    );
    expect(await browse(ada, 'browser_navigate', { url: `http://${id}.localhost:5174/` })).toContain(
      'No process of yours',
    );
    await stop(id);
    expect(await browse(ada, 'browser_navigate', { url })).toContain('No process of yours');
  });
});
