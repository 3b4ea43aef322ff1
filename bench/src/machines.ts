import { createHash } from 'node:crypto';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import Database from 'libsql';
import { Client } from 'pg';
import { addressOf, announcement } from './announcement.ts';

/** How many connect at the same time. */
const atOnce = 32;

const each = async <T, Result>(items: readonly T[], run: (item: T, at: number) => Promise<Result>) => {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await run(item, at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
};

const gateway = daemonMounts.bare;

const pair = (url: string, token: string, n: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { [gatewayKeyHeader]: token, 'content-type': 'application/json' };
    const path = url + gateway + daemonSurface.init.path;
    const options = { method: 'POST', headers, agent: false, localAddress: addressOf(n) };
    const outgoing = request(path, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const key = /"sessionKey":"([^"]+)"/.exec(text)?.[1];
        if (key === undefined) reject(new Error(`init answered ${response.statusCode}: ${text}`));
        else resolve(key);
      });
    });
    outgoing.on('error', reject).end(announcement);
  });

const ends = new Date('2100-01-01').getTime();

interface PairingToken {
  digest: string;
  userId: string;
}

const storeInFile = (dataDir: string, tokens: readonly PairingToken[]) => {
  const database = new Database(join(dataDir, 'drawbridge.db'));
  database.pragma('busy_timeout = 5000');
  const insert = database.prepare(
    `insert into gatewayKeys (digest, kind, userId, createdAt, expiresAt) values (?, 'pairing', ?, ?, ?)`,
  );
  database.transaction(() => {
    for (const { digest, userId } of tokens) insert.run(digest, userId, 0, ends);
  })();
  database.close();
};

const storeInPostgres = async (url: string, tokens: readonly PairingToken[]) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into "gatewayKeys" (digest, kind, "userId", "createdAt", "expiresAt")
     select one.digest, 'pairing', one.user_id, 0, $3 from unnest($1::text[], $2::text[]) as one (digest, user_id)`,
    [tokens.map(({ digest }) => digest), tokens.map(({ userId }) => userId), ends],
  );
  await client.end();
};

/**
 * Pairs `count` machines, each of a user of its own, with a running server; gives their session keys. `store`:
 * the server's data folder, or the address of its Postgres.
 */
export const pairMachines = async (url: string, store: string, count: number): Promise<string[]> => {
  const tokens = Array.from({ length: count }, (_item, n) => `gw_${String(n).padStart(32, '0')}`);
  const rows = tokens.map((token, n) => ({
    digest: createHash('sha256').update(token).digest('hex'),
    userId: `user-${n}`,
  }));
  if (store.startsWith('postgres:')) await storeInPostgres(store, rows);
  else storeInFile(store, rows);
  return each(tokens, (token, n) => pair(url, token, n));
};

interface OpenStream {
  path: string;
  headers: Record<string, string>;
  n: number;
}

const open = ({ path, headers, n }: OpenStream): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const outgoing = get(path, { headers, agent: false, localAddress: addressOf(n) }, (response) => {
      response.on('error', () => {});
      if (response.statusCode !== 200) return reject(new Error(`a stream answered ${response.statusCode}`));
      response.resume();
      resolve(() => outgoing.destroy());
    });
    outgoing.on('error', reject);
  });

/** Opens a stream for each key and leaves it idle; the returned function closes them. */
export const openStreams = async (url: string, keys: readonly string[]): Promise<() => void> => {
  const path = url + gateway + daemonSurface.events.path;
  const closers = await each(keys, (key, n) => open({ path, headers: { [gatewayKeyHeader]: key }, n }));
  return () => closers.forEach((close) => close());
};

/** `count` idle streams of bare Fastify. */
export const openBareStreams = (url: string, count: number): Promise<(() => void)[]> =>
  each(
    Array.from({ length: count }, () => `${url}/events`),
    (path, n) => open({ path, headers: {}, n }),
  );
