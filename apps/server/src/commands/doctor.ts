import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { hasCode, systemClock } from '@drawbridge/kit';
import type { Config } from '../config.ts';
import {
  findUnsafe,
  isPostgresUrl,
  openStore,
  readFolderHolder,
  readPostgres,
  shownPlace,
  sqliteFile,
  type Store,
} from '../db/index.ts';
import { createServersStore, serverDeadMs, type ServerRow } from '../gateway/index.ts';
import { requireSound } from '../backup/index.ts';
import { isLoopback } from '../http/index.ts';
import { daemonFile, panelDir } from '../program/built-files.ts';

/** The result of one check. `fix` says how to solve a problem. */
interface Check {
  name: string;
  state: 'ok' | 'note' | 'warning' | 'problem';
  says: string;
  fix?: string;
}

const leastFreeBytes = 512 * 1024 * 1024;
const healthTimeoutMs = 3_000;
const secondsOf = (ms: number) => `${Math.max(0, Math.round(ms / 1_000))} s`;
const megabytes = (bytes: number) => `${Math.ceil(bytes / (1024 * 1024))} MiB`;

const ok = (name: string, says: string): Check => ({ name, state: 'ok', says });
const warning = (name: string, says: string, fix: string): Check => ({ name, state: 'warning', says, fix });
const problem = (name: string, says: string, fix: string): Check => ({ name, state: 'problem', says, fix });

const checkNode = (version: string): Check => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 13);
  return isNew
    ? ok('node', `Node ${version}`)
    : problem('node', `Node ${version}`, 'Install Node 22.13 or newer.');
};

const checkFolder = (dataDir: string): Check[] => {
  if (!existsSync(join(dataDir, 'auth-secret'))) {
    const says = `no server has run with ${dataDir}`;
    return [{ name: 'data', state: 'note', says, fix: 'Start the server, or set DATA_DIR to its folder.' }];
  }
  const open = [dataDir, join(dataDir, 'auth-secret')].filter((path) => (statSync(path).mode & 0o077) !== 0);
  const unsafe = findUnsafe(dataDir);
  if (unsafe !== null) return [problem('data', unsafe.message, unsafe.fix ?? '')];
  const [first] = open;
  if (first === undefined) return [ok('data', `${dataDir}, accessible only to this user`)];
  const says = `other users of this machine can open ${open.join(' and ')}`;
  return [problem('data', says, `Run chmod -R go-rwx '${dataDir}'`)];
};

const checkDisk = (dataDir: string): Check[] => {
  if (!existsSync(dataDir)) return [];
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const says = `${megabytes(free)} free`;
  const fix = `Free space: below ${megabytes(leastFreeBytes)} calls may be refused soon.`;
  return [free >= leastFreeBytes ? ok('disk', says) : warning('disk', says, fix)];
};

/** Beyond this the times of this server and of Postgres tell different stories. */
const mostOffsetMs = 1_000;

const checkClock = (says: string, offsetMs: number): Check => {
  const name = 'store';
  if (Math.abs(offsetMs) <= mostOffsetMs) return ok(name, says);
  return warning(
    name,
    `${says}, whose clock differs by ${secondsOf(Math.abs(offsetMs))}`,
    'Synchronize both clocks.',
  );
};

const checkOther = ({ id, version, seenAt, drainingAt }: ServerRow, now: number): Check => {
  const leaves = drainingAt === null ? '' : `, leaves since ${secondsOf(now - drainingAt)}`;
  const says = `${id}, version ${version}, seen ${secondsOf(now - seenAt)} ago${leaves}`;
  return now - seenAt < serverDeadMs
    ? ok('servers', says)
    : warning(
        'servers',
        says,
        'It is dead. The others end what it has left; restart it where there are none.',
      );
};

/** The servers that are connected through Redis; one without `REDIS_URL` has no row. */
const checkServers = async (store: Pick<Store, 'db' | 'now'>): Promise<Check[]> => {
  const servers = createServersStore(store);
  const now = await store.now();
  try {
    return (await servers.list()).map((row) => checkOther(row, now));
  } catch (error) {
    // No server has run with this database yet.
    if (hasCode(error, '42P01')) return [];
    throw error;
  }
};

const checkRedis = async (url: string | undefined): Promise<Check[]> => {
  if (url === undefined) return [];
  const { pingRedis } = await import('../bus/index.ts');
  const reason = await pingRedis(url, systemClock);
  if (reason === null) return [ok('redis', `${shownPlace(url)} answers`)];
  const fix = 'Start Redis, and check REDIS_URL. Servers go on without it, and see changes of others later.';
  return [problem('redis', `${shownPlace(url)} does not answer (${reason})`, fix)];
};

const checkPostgres = async (url: string): Promise<Check[]> => {
  const name = 'store';
  const store = await openStore({ url, dataDir: '' });
  try {
    const { version, offsetMs } = await readPostgres(store.db, systemClock);
    const place = `${shownPlace(url)}, Postgres ${version}`;
    return [checkClock(place, offsetMs), ...(await checkServers(store))];
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    const says = `${shownPlace(url)} cannot be read${reason}`;
    return [problem(name, says, 'Start Postgres, and check host, user and password in DATABASE_URL.')];
  } finally {
    await store.close();
  }
};

const checkStore = async (config: Config): Promise<Check[]> => {
  if (isPostgresUrl(config.databaseUrl)) return checkPostgres(config.databaseUrl);
  const file = sqliteFile({ url: config.databaseUrl, dataDir: config.dataDir });
  if (!existsSync(file)) return [];
  try {
    requireSound(file);
  } catch {
    return [problem('store', `${file} is damaged`, 'Stop the server and restore a backup.')];
  }
  return [ok('store', `${file}, ${megabytes(statSync(file).size)}, sound`)];
};

const health = async (url: string): Promise<boolean> => {
  const giveUp = new AbortController();
  const cancel = systemClock.after(healthTimeoutMs, () => giveUp.abort());
  try {
    return (await fetch(`${url}/health`, { signal: giveUp.signal })).ok;
  } catch {
    return false;
  } finally {
    cancel();
  }
};

const checkServer = async ({ dataDir, host, port }: Config): Promise<Check> => {
  const name = 'server';
  const isOpened = existsSync(dataDir) && findUnsafe(dataDir) === null;
  const holder = isOpened ? readFolderHolder(dataDir) : null;
  if (holder === null) return { name, state: 'note', says: 'not running on this data folder' };
  if (holder === 'starting') return { name, state: 'note', says: 'starting' };
  const says = `running, process ${holder.pid} on ${holder.host}, ${holder.url ?? 'starting'}`;
  // Its own port, not the public address, which may be a proxy elsewhere.
  if (holder.url === null || (await health(holder.url)) || (await health(`http://${host}:${port}`)))
    return ok(name, says);
  return problem(name, `${says}, but it does not answer`, 'Check its log and restart it.');
};

const checkAddress = ({ host, publicUrl }: Config): Check => {
  const name = 'address';
  if (publicUrl?.startsWith('https:')) return ok(name, publicUrl);
  const local = publicUrl === undefined ? host : new URL(publicUrl).hostname;
  if (isLoopback(local)) return ok(name, `${publicUrl ?? host}, only reachable from this machine`);
  return publicUrl === undefined
    ? warning(
        name,
        `HOST is ${host} and PUBLIC_URL is not set`,
        'Set PUBLIC_URL to the https address of the server.',
      )
    : warning(name, `${publicUrl} is not https`, 'Put an HTTPS proxy in front: see docs/behind-a-proxy.md');
};

const checkBuilt = (): Check => {
  const missing = [join(panelDir, 'index.html'), daemonFile].filter((path) => !existsSync(path));
  return missing.length === 0
    ? ok('build', 'the panel and the packed daemon are present')
    : problem('build', `missing: ${missing.join(', ')}`, 'Run npx --yes pnpm@10 build');
};

const checkSecret = (dataDir: string): Check[] => {
  const file = join(dataDir, 'auth-secret');
  if (!existsSync(file) || readFileSync(file, 'utf8').trim().length >= 32) return [];
  const fix = 'Restore it from a backup; without a backup delete it: all users must sign in again.';
  return [problem('secret', 'auth-secret is incomplete', fix)];
};

const colours = { ok: 'green', note: 'gray', warning: 'yellow', problem: 'red' } as const;
const line = ({ name, state, says, fix }: Check) =>
  [
    `${styleText(colours[state], state.padEnd(8))}${name.padEnd(9)}${says}\n`,
    ...(fix === undefined ? [] : [`${' '.repeat(17)}${fix}\n`]),
  ].join('');

/** Checks the server and its environment; changes nothing. */
export const runDoctor = async (
  config: Config,
  { json }: { json: boolean },
): Promise<{ text: string; problems: number }> => {
  const checks = [
    checkNode(process.versions.node),
    ...checkFolder(config.dataDir),
    ...checkSecret(config.dataDir),
    ...(await checkStore(config)),
    ...(await checkRedis(config.redisUrl)),
    ...checkDisk(config.dataDir),
    await checkServer(config),
    checkAddress(config),
    checkBuilt(),
  ];
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const problems = count('problem');
  if (json)
    return { text: `${JSON.stringify({ problems, warnings: count('warning'), checks })}\n`, problems };
  const end = `\n${problems} problem${problems === 1 ? '' : 's'}, ${count('warning')} warning${count('warning') === 1 ? '' : 's'}\n`;
  return { text: checks.map(line).join('') + end, problems };
};
