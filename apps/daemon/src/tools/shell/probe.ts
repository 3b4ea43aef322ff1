import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { existsSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { isWithin, type Territory } from '../../paths/protected.ts';
import { parseJson } from '../../text/parse-json.ts';
import { callTrial } from './call-trial.ts';
import type { Launcher } from './launch.ts';
import { runCommand, type Ended } from './run-command.ts';

const timeoutMs = 20_000;

/** Runs inside: reports `done` or an error code for each attempt. `evaluate` checks the effects too. */
const attempts = `
const [fs, net] = [require('node:fs'), require('node:net')];
const { outside, own, secret, port, socket, program } = JSON.parse(process.argv[1]);
const results = {};
const attempt = (name, run) => { try { results[name] = run() ?? 'done'; } catch (error) { results[name] = error.code ?? 'failed'; } };
attempt('temporary', () => fs.writeFileSync(process.env.TMPDIR + '/probe', ''));
attempt('outside', () => fs.writeFileSync(outside, ''));
attempt('own', () => fs.writeFileSync(own, ''));
attempt('secret', () => fs.readFileSync(secret, 'utf8'));
attempt('memory', () => fs.readlinkSync('/proc/self/ns/ipc'));
attempt('filter', () => /^Seccomp:\\s*(\\d)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]);
const statusOf = (file, args) => String(require('node:child_process').spawnSync(file, args).status ?? 'untried');
attempt('namespaces', () => statusOf('unshare', ['--user', 'true']));
attempt('calls', () => {
  if (program === null) return 'untried';
  const file = process.env.TMPDIR + '/calls';
  fs.writeFileSync(file, Buffer.from(program, 'base64'), { mode: 0o700 });
  return statusOf(file, []);
});
const connect = (name, target) => new Promise((resolve) => {
  let link;
  try { link = net.connect(target); } catch (error) { results[name] = error.code ?? 'failed'; return resolve(); }
  link.once('connect', () => { results[name] = 'done'; link.destroy(); resolve(); });
  link.once('error', (error) => { results[name] = error.code ?? 'failed'; resolve(); });
});
Promise.all([connect('network', { port, host: '127.0.0.1' }), connect('socket', { path: socket })])
  .then(() => console.log(JSON.stringify(results)));
`;

const trialResults = z.object({
  temporary: z.string(),
  outside: z.string(),
  own: z.string(),
  secret: z.string(),
  network: z.string(),
  socket: z.string(),
  memory: z.string(),
  filter: z.string(),
  namespaces: z.string(),
  calls: z.string(),
});

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const listen = (server: Server, at: { port: number; host: string } | { path: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });

interface Canary {
  outside: string;
  own: string;
  secret: string;
  word: string;
  touched(): boolean;
}

/** Sums of the exit code of `callTrial`. */
const keyCalls = 1 + 2 + 4 + 8;
const namespaceCalls = 16 + 32;

/** Linux only. Where the temporary folder is noexec, the kernel's report of the filter must do. */
const evaluateKernel = (results: z.infer<typeof trialResults>): string | null => {
  const { memory, filter, namespaces } = results;
  if (memory === readlinkSync('/proc/self/ns/ipc')) return 'a command can share memory with other programs';
  const calls = results.calls === 'untried' ? 0 : Number(results.calls);
  if (filter !== '2' || (calls & keyCalls) !== 0 || Number.isNaN(calls))
    return 'a command can read kernel keys or reach the host of this machine';
  if (namespaces === '0' || (calls & namespaceCalls) !== 0)
    return 'a command can make namespaces or mount file systems of its own';
  return null;
};

/** Why the sandbox cannot be trusted; null when all that is forbidden failed and the rest worked. */
const evaluate = (ended: Ended, canary: Canary, territory: Territory): string | null => {
  const results = parseJson(trialResults, ended.stdout);
  if (results === undefined) {
    const reason = ended.timedOut
      ? `no answer within ${timeoutMs / 1_000} seconds`
      : (ended.stderr.trim().split('\n')[0] ?? '');
    return `the sandbox does not start${reason === '' ? '' : ` (${reason.slice(0, 160)})`}`;
  }
  if (results.temporary !== 'done')
    return `a command cannot write in its temporary folder (${results.temporary.slice(0, 20)})`;
  if (!isWithin(canary.outside, territory.root) && existsSync(canary.outside))
    return 'a command can write outside the folder';
  if (existsSync(canary.own)) return "a command can write in drawbridge's own folder";
  if (ended.stdout.includes(canary.word)) return "a command can read drawbridge's own folder";
  if (results.network === 'done' || results.socket === 'done' || canary.touched())
    return 'a command can connect to other programs';
  return process.platform === 'linux' ? evaluateKernel(results) : null;
};

const probeIn = async (
  folder: string,
  territory: Territory,
  { prepare, clock }: { prepare: Launcher; clock: Clock },
): Promise<string | null> => {
  const name = `probe-${nanoid()}`;
  const secret = join(territory.privateFolder, name);
  const word = nanoid();
  const servers = [createServer(), createServer()] as const;
  let connections = 0;
  for (const server of servers) server.on('connection', (link) => void ((connections += 1), link.destroy()));
  const canary: Canary = {
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
    const program = callTrial(process.arch)?.toString('base64') ?? null;
    const options = JSON.stringify({
      outside: canary.outside,
      own: canary.own,
      secret,
      port,
      socket,
      program,
    });
    const ended = await runCommand(
      {
        tag: name,
        text: `${quote(process.execPath)} -e ${quote(attempts)} ${quote(options)}`,
        cwd: territory.root,
        timeoutMs,
        clock,
        signal: new AbortController().signal,
        deniedPaths: { read: [], write: [] },
        progress: () => undefined,
      },
      prepare,
    );
    return evaluate(ended, canary, territory);
  } catch (error) {
    return `the sandbox does not start (${error instanceof Error ? error.message.slice(0, 160) : 'unknown'})`;
  } finally {
    for (const server of servers) server.close();
    await rm(secret, { force: true });
    await rm(canary.own, { force: true });
  }
};

/** Tries all `sandboxTrials` inside the sandbox. Returns why it cannot be trusted, or null. */
export const probe = async (
  territory: Territory,
  prepare: Launcher,
  clock: Clock,
): Promise<string | null> => {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(await realpath(tmpdir()), 'drawbridge-probe-'));
    return await probeIn(folder, territory, { prepare, clock });
  } catch (error) {
    return `no file can be made in ${tmpdir()} (${error instanceof Error ? error.message.slice(0, 100) : 'unknown'})`;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
};
