import { readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import type { Container } from './container.ts';
import { runContained } from './run-contained.ts';

/** Runs inside as a command; says what each attempt came to. */
const attempts = `
const [fs, net] = [require('node:fs'), require('node:net')];
const { secret, port, namespaces } = JSON.parse(process.argv[1]);
const found = {};
const attempt = (name, run) => { try { found[name] = run() ?? 'done'; } catch (error) { found[name] = error.code ?? 'failed'; } };
attempt('folder', () => fs.writeFileSync('/workspace/probe', ''));
attempt('system', () => fs.writeFileSync('/usr/drawbridge-probe', ''));
attempt('secret', () => fs.readFileSync(secret, 'utf8'));
attempt('shared', () => Object.keys(namespaces).filter((name) => fs.readlinkSync('/proc/self/ns/' + name) === namespaces[name]).join(', '));
attempt('filter', () => /^Seccomp:\\s*(\\d)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]);
attempt('namespaces', () => String(require('node:child_process').spawnSync('unshare', ['--user', 'true']).status));
const link = net.connect({ port, host: '127.0.0.1' });
const end = (word) => { found.network = word; console.log(JSON.stringify(found)); link.destroy(); };
link.once('connect', () => end('done')).once('error', (error) => end(error.code ?? 'failed'));
`;

const found = z.object({
  folder: z.string(),
  system: z.string(),
  secret: z.string(),
  /** Namespaces that are the server's own. */
  shared: z.string(),
  filter: z.string(),
  namespaces: z.string(),
  network: z.string(),
});
const shellOutput = z.object({ stdout: z.string(), stderr: z.string() });

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const evaluate = (stdout: string, word: string): string | null => {
  const { folder, system, secret, shared, filter, namespaces, network } = found.parse(JSON.parse(stdout));
  if (folder !== 'done') return 'a command cannot write in its folder';
  if (system === 'done') return 'a command can write beside its folder';
  if (secret === word) return 'a command can read the data folder of the server';
  if (network === 'done') return 'a command can connect to the server';
  if (shared !== '') return `a command shares namespaces of the server (${shared})`;
  if (filter !== '2') return 'a command runs without a filter of system calls';
  return namespaces === '0' ? 'a command can make namespaces of its own' : null;
};

const ownNamespaces = () =>
  Object.fromEntries(
    ['pid', 'net', 'ipc', 'uts', 'user'].map((name) => [name, readlinkSync(`/proc/self/ns/${name}`)]),
  );

/** A port of this server's machine that a container must not reach. */
const openPort = async () => {
  const server = createServer((link) => link.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port: 0, host: '127.0.0.1' }, resolve);
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, server };
};

const run = async (container: Container, clock: Clock, folder: string): Promise<string | null> => {
  const [secret, word] = [join(folder, 'secret'), nanoid()];
  await writeFile(secret, word, { mode: 0o600 });
  const { port, server } = await openPort();
  try {
    const options = JSON.stringify({ secret, port, namespaces: ownNamespaces() });
    const command = `${quote('/run/drawbridge/bin/node')} -e ${quote(attempts)} ${quote(options)}`;
    const shown = join(folder, 'workspace');
    const call = { callId: nanoid(), tool: 'shell_execute', arguments: { command } };
    const signal = new AbortController().signal;
    const running = { folder: shown, call, signal, excess: async () => null };
    const { content } = await runContained({ container, clock }, running);
    const text = content[0]?.type === 'text' ? content[0].text : '';
    if (!text.startsWith('{')) return `the container does not start (${text.slice(0, 200)})`;
    const { stdout, stderr } = shellOutput.parse(JSON.parse(text));
    return stdout.startsWith('{') ? evaluate(stdout, word) : `commands do not run (${stderr.slice(0, 200)})`;
  } finally {
    server.close();
  }
};

/** Tries in a container what must fail there. Returns why it cannot be trusted, or null. */
export const probe = async (container: Container, clock: Clock, base: string): Promise<string | null> => {
  const folder = await mkdtemp(join(base, 'probe-'));
  await mkdir(join(folder, 'workspace'));
  try {
    return await run(container, clock, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
