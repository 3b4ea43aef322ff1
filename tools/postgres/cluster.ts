import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { folderOfRun } from '../folder-of-run.ts';
import { postgresFolder } from './programs.ts';

export interface Cluster {
  /** Of the superuser, who needs no password here. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Postgres refuses to run as root: its programs then run as its own user. */
const asPostgres = () => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

/** Nothing is synced: these rows live as long as the run. */
const settings = (folder: string) => [
  'fsync=off',
  'full_page_writes=off',
  `unix_socket_directories=${folder}`,
  'listen_addresses=127.0.0.1',
  'max_connections=300',
  'shared_buffers=64MB',
];

/** Starts a Postgres of its own on a free port. */
export const startCluster = async (): Promise<Cluster> => {
  const programs = postgresFolder();
  if (programs === undefined) throw new Error('There is no Postgres');
  const owner = asPostgres();
  const folder = mkdtempSync(join(folderOfRun('postgres'), 'cluster-'));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const run = { ...owner, cwd: folder, env: { LC_ALL: 'C' } };
  const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-N'];
  execFileSync(join(programs, 'initdb'), [...made, '--encoding=UTF8', '--locale=C'], {
    ...run,
    stdio: 'ignore',
  });
  const port = await freePort();
  const flags = [`port=${port}`, ...settings(folder)].flatMap((one) => ['-c', one]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
    ...run,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  await new Promise<void>((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`Postgres has ended: ${code}`)));
    server.stderr.on('data', (said: Buffer) => {
      if (said.includes('ready to accept connections')) resolve();
    });
  });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres?connect_timeout=20`,
    pid: server.pid ?? 0,
    stop: async () => {
      server.kill('SIGQUIT');
      await ended;
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
};
