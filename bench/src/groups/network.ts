import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDaemon } from '@drawbridge/e2e/harness';
import { sleep, systemClock } from '@drawbridge/kit';
import type { Pool } from 'undici';
import { z } from 'zod';
import { rawShot, startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Group, type Stage } from '../group.ts';
import { latencyMs, timeOf } from '../load.ts';
import { processorMs, residentBytes } from '../processes.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
const downloadMebibytes = 256;

/** Sends as many mebibytes as the path says. */
const startDownloads = async ({ whenOver }: Stage): Promise<number> => {
  const piece = Buffer.alloc(mebibyte, 'x');
  const server = createServer((request, response) => {
    let left = Number(request.url?.slice(1));
    const send = () => {
      while (left > 0) {
        left -= 1;
        if (!response.write(piece)) return void response.once('drain', send);
      }
      response.end();
    };
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenOver(() => void server.close());
  whenOver(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
};

const connections = 100;
/** Opens connections one after the other and prints the milliseconds of each. */
const connectScript = `
const { connect } = require('node:net');
const port = Number(process.argv[2]);
const once = () => new Promise((resolve, reject) => {
  const socket = connect(port, '127.0.0.1');
  socket.once('error', reject);
  socket.once('data', () => socket.end());
  socket.once('close', resolve);
  socket.write('GET /0 HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n');
});
(async () => {
  await once();
  const start = process.hrtime.bigint();
  for (let n = 0; n < ${connections}; n++) await once();
  console.log(Number(process.hrtime.bigint() - start) / 1e6 / ${connections});
})();
`;

const results = z.object({ result: z.object({ content: z.tuple([z.object({ text: z.string() })]) }) });
const outputs = z.looseObject({ stdout: z.string().optional(), process: z.string().optional() });

const post = async (pool: Pool, name: string, given: Record<string, unknown>): Promise<string> => {
  const response = await pool.request({
    path: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, arguments: given }),
  });
  return response.body.text();
};

/** What a tool that gives JSON has answered. A port of this machine is asked about, once. */
const ask = async (pool: Pool, name: string, given: Record<string, unknown>) => {
  let text = await post(pool, name, given);
  if (text.includes('GATEWAY_CONFIRMATION_REQUIRED'))
    text = await post(pool, name, { ...given, _confirmation: 'allowForSession' });
  const read = results.safeParse(JSON.parse(text));
  if (!read.success) throw new Error(`${name} answered ${text.slice(0, 300)}`);
  return outputs.parse(JSON.parse(read.data.result.content[0].text));
};

const startIn = async (stage: Stage, root: string, mode: 'allow' | 'deny' = 'allow') => {
  const { url, pool } = await startBareServer(stage.processes);
  const token = `gw_${'b'.repeat(32)}`;
  const flags = ['--permission-shell', mode, '--permission-network', mode];
  const daemon = startDaemon(stage.processes, { url, token, root, nodeFlags: stage.nodeFlags, flags });
  await daemon.process.says(/^\s*connected /m);
  return { pool, pid: daemon.process.pid };
};

/** Memory of a daemon after its start, before its first call. */
const restingMebibytes = async (stage: Stage, root: string, mode: 'allow' | 'deny'): Promise<number> => {
  const { pid } = await startIn(stage, root, mode);
  await sleep(systemClock, 4_000);
  return residentBytes(pid) / mebibyte;
};

const curl = (port: number, mebibytes: number) =>
  `curl --silent --output /dev/null --write-out '%{time_total}' http://127.0.0.1:${port}/${mebibytes}`;

/** Mebibytes in a second, as curl counts the time: without its start and that of the sandbox. */
const rateOf = (seconds: string): number => downloadMebibytes / Number(seconds);

const idleProcesses = 4;

export const networkGroup: Group<
  'command' | 'throughput' | 'connection' | 'output' | 'besideDownload' | 'memory' | 'resting'
> = {
  name: 'network',
  givenUpMs: 600_000,
  rows: {
    command: ratio(
      '`shell_execute` of `true` with a port of this machine, against one without: processor time',
      'ms',
      { atMost: 3 },
    ),
    throughput: ratio(
      'a download of 256 MiB by a sandboxed command, against the same without Drawbridge',
      'MiB/s',
      { atLeast: 0.6 },
    ),
    connection: ratio(
      'a new connection and a small answer from the sandbox, against the same without Drawbridge',
      'ms',
      { atMost: 4 },
    ),
    output: ratio('`process_read` of 1 KiB against `read_file` of 1 KiB', 'ms', { atMost: 1.2 }),
    besideDownload: ratio('`read_file` of 1 KiB beside a download of a command, against without', 'ms', {
      atMost: 1.3,
    }),
    memory: {
      measure: 'memory of the daemon for each process that waits in the background',
      kind: 'number',
      unit: 'MiB',
      goal: { atMost: 1.5 },
    },
    resting: ratio('memory of a daemon at rest with commands and processes, against one without', 'MiB', {
      atMost: 1.1,
    }),
  },
  open: async (stage) => {
    const port = await startDownloads(stage);
    const { root, read } = folderToRead();
    writeFileSync(join(root, 'connect.cjs'), connectScript);
    const resting = {
      ours: await restingMebibytes(stage, root, 'allow'),
      bare: await restingMebibytes(stage, root, 'deny'),
    };
    const { pool, pid } = await startIn(stage, root);
    const network = [`localhost:${port}`];
    const command = (text: string, more: Record<string, unknown> = {}) =>
      ask(pool, 'shell_execute', { command: text, timeout: 120_000, ...more });
    const costOf = async (count: number, more: Record<string, unknown>) => {
      const before = processorMs(pid);
      for (let n = 0; n < count; n += 1) await command('true', more);
      return (processorMs(pid) - before) / count;
    };
    const stop = ({ process }: { process?: string | undefined }) => ask(pool, 'process_stop', { process });
    const startProcess = (text: string, more = {}) =>
      ask(pool, 'process_start', { command: text, waitMs: 0, ...more });
    const reading = rawShot(pool, '/', read);

    const memoryOf = async () => {
      const before = residentBytes(pid);
      const started = [];
      for (let n = 0; n < idleProcesses; n += 1) started.push(await startProcess('sleep 1000'));
      const held = (residentBytes(pid) - before) / idleProcesses / mebibyte;
      for (const one of started) await stop(one);
      return held;
    };
    const outputOf = async (count: number) => {
      const printing = await startProcess("head -c 1024 /dev/zero | tr '\\0' x; sleep 1000", {
        waitFor: ['xxx'],
        waitMs: 5_000,
      });
      const given = { process: printing.process, cursor: 0 };
      const ours = rawShot(pool, '/', { name: 'process_read', arguments: given, expects: 'x'.repeat(1_024) });
      const compared = await latencyMs({ ours, bare: reading }, count);
      await stop(printing);
      return compared;
    };
    /** The middle of the reads while a command downloads again and again, at most 50 MiB/s. */
    const besideOf = async (count: number) => {
      const alone = await latencyMs({ ours: reading, bare: reading }, count);
      const slow = `while :; do ${curl(port, 1_024).replace('--silent', '--silent --limit-rate 50M')}; done`;
      const downloading = await startProcess(slow, { network });
      const beside = await latencyMs({ ours: reading, bare: reading }, count);
      await stop(downloading);
      return { ours: beside.ours, bare: alone.ours };
    };
    for (let n = 0; n < stage.scaled(5); n += 1) await command('true', { network });
    for (let n = 0; n < stage.scaled(200); n += 1) await timeOf(reading);
    return async () => {
      const count = stage.scaled(20);
      const without = await costOf(count, {});
      const withNetwork = await costOf(count, { network });
      const inside = await command(curl(port, downloadMebibytes), { network });
      const outside = await run('sh', ['-c', curl(port, downloadMebibytes)]);
      const connectInside = await command(`'${process.execPath}' connect.cjs ${port}`, { network });
      const connectOutside = await run(process.execPath, [join(root, 'connect.cjs'), String(port)]);
      return {
        command: { ours: withNetwork, bare: without },
        throughput: { ours: rateOf(inside.stdout ?? ''), bare: rateOf(outside.stdout) },
        connection: { ours: Number(connectInside.stdout), bare: Number(connectOutside.stdout) },
        output: await outputOf(stage.scaled(200)),
        besideDownload: await besideOf(stage.scaled(200)),
        memory: { ours: await memoryOf() },
        resting,
      };
    };
  },
};
