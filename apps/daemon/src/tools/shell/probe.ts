import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { isWithin, type Territory } from '../filesystem/protected.ts';
import type { Launcher } from './launch.ts';
import { runCommand, type Ended } from './run-command.ts';

const timeoutMs = 20_000;

/** Runs inside: tries each and tells `done` or the error's code. What it says of itself is not all that counts: see `judge`. */
const attempts = `
const [fs, net] = [require('node:fs'), require('node:net')];
const { outside, own, secret, port, socket } = JSON.parse(process.argv[1]);
const told = {};
const attempt = (name, run) => { try { told[name] = run() ?? 'done'; } catch (error) { told[name] = error.code ?? 'failed'; } };
attempt('temporary', () => fs.writeFileSync(process.env.TMPDIR + '/probe', ''));
attempt('outside', () => fs.writeFileSync(outside, ''));
attempt('own', () => fs.writeFileSync(own, ''));
attempt('secret', () => fs.readFileSync(secret, 'utf8'));
const connect = (name, target) => new Promise((resolve) => {
  let link;
  try { link = net.connect(target); } catch (error) { told[name] = error.code ?? 'failed'; return resolve(); }
  link.once('connect', () => { told[name] = 'done'; link.destroy(); resolve(); });
  link.once('error', (error) => { told[name] = error.code ?? 'failed'; resolve(); });
});
Promise.all([connect('network', { port, host: '127.0.0.1' }), connect('socket', { path: socket })])
  .then(() => console.log(JSON.stringify(told)));
`;

const told = z.object({
  temporary: z.literal('done'),
  outside: z.string(),
  own: z.string(),
  secret: z.string(),
  network: z.string(),
  socket: z.string(),
});

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const listen = (server: Server, at: { port: number; host: string } | { path: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });

interface Bait {
  outside: string;
  own: string;
  secret: string;
  word: string;
  touched(): boolean;
}

/** What stands in the way of trusting the sandbox; null when all that is forbidden failed, and what is allowed did not. */
const judge = (ended: Ended, bait: Bait, territory: Territory): string | null => {
  const line = ended.stdout.trim();
  const parsed = line.startsWith('{') ? told.safeParse(JSON.parse(line)) : undefined;
  if (parsed?.success !== true) {
    const said = ended.stderr.trim().split('\n')[0] ?? '';
    return `the sandbox does not start${said === '' ? '' : ` (${said.slice(0, 160)})`}`;
  }
  if (!isWithin(bait.outside, territory.root) && existsSync(bait.outside))
    return 'a command can write outside the folder';
  if (existsSync(bait.own)) return "a command can write in drawbridge's own folder";
  if (ended.stdout.includes(bait.word)) return "a command can read drawbridge's own folder";
  if (parsed.data.network === 'done' || parsed.data.socket === 'done' || bait.touched())
    return 'a command can connect to other programs';
  return null;
};

/**
 * Tries inside the sandbox what it must prevent: writing outside the root, reading and writing the daemon's own folder, connecting to
 * listeners of ours on the loopback address and on a socket. Gives the reason why it cannot be trusted, or null.
 */
export const probe = async (
  territory: Territory,
  prepare: Launcher,
  clock: Clock,
): Promise<string | null> => {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'drawbridge-probe-'));
  const name = `probe-${nanoid()}`;
  const secret = join(territory.privateFolder, name);
  const word = nanoid();
  const servers = [createServer(), createServer()] as const;
  let connections = 0;
  for (const server of servers) server.on('connection', (link) => void ((connections += 1), link.destroy()));
  const bait: Bait = {
    outside: join(folder, 'written'),
    own: `${secret}.written`,
    secret,
    word,
    touched: () => connections > 0,
  };
  try {
    await writeFile(secret, word, { mode: 0o600 });
    const socket = join(folder, 'socket');
    await listen(servers[0], { port: 0, host: '127.0.0.1' });
    await listen(servers[1], { path: socket });
    const address = servers[0].address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const given = JSON.stringify({ outside: bait.outside, own: bait.own, secret, port, socket });
    const ended = await runCommand(
      {
        mark: name,
        text: `${quote(process.execPath)} -e ${quote(attempts)} ${quote(given)}`,
        cwd: territory.root,
        timeoutMs,
        clock,
        signal: new AbortController().signal,
        deniedPaths: { read: [], write: [] },
        progress: () => undefined,
      },
      prepare,
    );
    return judge(ended, bait, territory);
  } catch (error) {
    return `the sandbox does not start (${error instanceof Error ? error.message.slice(0, 160) : 'unknown'})`;
  } finally {
    for (const server of servers) server.close();
    await rm(secret, { force: true });
    await rm(bait.own, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
};
