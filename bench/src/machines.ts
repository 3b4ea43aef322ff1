import { createHash } from 'node:crypto';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { daemonMounts, daemonSurface, gatewayKeyHeader } from '@drawbridge/contracts';
import Database from 'libsql';

/** How many connect at the same time. */
const atOnce = 32;

const schemaOf = (n: number) => ({
  type: 'object',
  properties: {
    path: { type: 'string', description: `Path of the file that tool ${n} works on, relative to the folder` },
    startLine: { type: 'integer', minimum: 1, description: 'First line, counted from 1' },
    maxLines: { type: 'integer', minimum: 1, description: 'How many lines' },
    options: { type: 'array', items: { type: 'string', enum: ['one', 'two', 'three'] } },
  },
  required: ['path'],
  additionalProperties: false,
});

/** What a machine says that offers 42 tools. */
const announcement = JSON.stringify({
  rootPath: '/home/person/project',
  hostIdentifier: 'desk',
  tools: Array.from({ length: 42 }, (_item, n) => ({
    name: `tool_${n}`,
    title: `Tool ${n}`,
    description: `Does what tool number ${n} does, to files of the folder that the person has opened.`,
    inputSchema: schemaOf(n),
    annotations: { readOnlyHint: true, category: 'filesystem' },
  })),
  toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
});

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

/** Each machine has an address of its own, as it would have in life. */
const addressOf = (n: number) =>
  `127.${1 + Math.floor(n / 62_500)}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`;

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

/** Pairs `count` machines, each of a user of its own, with a running server; gives their session keys. */
export const pairMachines = async (url: string, dataDir: string, count: number): Promise<string[]> => {
  const tokens = Array.from({ length: count }, (_item, n) => `gw_${String(n).padStart(32, '0')}`);
  const database = new Database(join(dataDir, 'drawbridge.db'));
  database.pragma('busy_timeout = 5000');
  const insert = database.prepare(
    `insert into gatewayKeys (digest, kind, userId, createdAt, expiresAt) values (?, 'pairing', ?, ?, ?)`,
  );
  const ends = new Date('2100-01-01').getTime();
  database.transaction(() => {
    for (const [n, token] of tokens.entries())
      insert.run(createHash('sha256').update(token).digest('hex'), `user-${n}`, 0, ends);
  })();
  database.close();
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
