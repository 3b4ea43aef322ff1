import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { systemClock, type Clock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import { createApp, type App } from '../src/app.ts';
import type { Passwords } from '../src/auth/index.ts';
import { systemNetwork, type Network } from '../src/outside/index.ts';
import { configFrom } from '../src/config.ts';
import { openAccounts } from '../src/compose/open-accounts.ts';
import { createNewStores } from './new-store.ts';
import { storeUrl } from './store-place.ts';

export interface Sent {
  method?: string;
  headers?: Record<string, string | string[]>;
  /** An object goes as JSON; a text or bytes go as they are, without a content type. */
  body?: unknown;
  /** The connections that are used again; a new one for the request where undefined. */
  agent?: Agent;
}

export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; undefined for any other. */
  json: unknown;
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** One request with exactly these headers, also those that `fetch` keeps to itself. */
export const send = (url: string, { method = 'GET', headers = {}, body, agent }: Sent = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const type = body === undefined || raw ? {} : { 'content-type': 'application/json' };
    const outgoing = httpRequest(
      url,
      { method, headers: { ...type, ...headers }, agent: agent ?? false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: jsonOf(text) });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined || raw ? body : JSON.stringify(body));
  });

/** The proof of each session, by its cookie: what the storage of a panel's browser holds. */
const proofs = new Map<string, string>();

/** What a signed-in person's browser sends: the cookie, and the proof of its session. */
export const sessionHeaders = (cookie: string): Record<string, string> => {
  const proof = proofs.get(cookie);
  return proof === undefined ? { cookie } : { cookie, [sessionProofHeader]: proof };
};

/** The proof goes with its cookie, unless the request says otherwise. */
const withProof = (sent: Sent = {}): Sent => {
  const cookie = sent.headers?.cookie;
  return typeof cookie === 'string'
    ? { ...sent, headers: { ...sessionHeaders(cookie), ...sent.headers } }
    : sent;
};

export interface TestServer {
  app: App;
  url: string;
  dataDir: string;
  /** All lines of log, scrubbed as they would be written. */
  log: string[];
  /** With the proof of the session whose cookie it carries. */
  send(path: string, sent?: Sent): Promise<Got>;
}

export const setupToken = `setup_${'t'.repeat(32)}`;

/** Passwords without cost; a real hash takes a tenth of a second, and password.test.ts covers it. */
export const quickPasswords: Passwords = {
  hash: async (password) => quickHash(password),
  verify: async ({ hash, password }) => hash === quickHash(password),
};

const quickHash = (password: string) => createHash('sha256').update(password).digest('hex');

/** What names the store of a data folder. */
const storeEnvironment = (dataDir: string): Record<string, string> => {
  const url = storeUrl(dataDir);
  return url === undefined ? {} : { DATABASE_URL: url };
};

/** A data folder whose store has its tables. */
export const newDataFolder = createNewStores(async (dataDir) => {
  const config = configFrom({ DATA_DIR: dataDir, ...storeEnvironment(dataDir) });
  const { close } = await openAccounts({ config, clock: systemClock, writeLog: () => {} });
  await close();
});

interface StartOptions {
  environment?: Record<string, string>;
  clock?: Clock;
  /** An earlier server's folder. */
  dataDir?: string;
  outside?: Network;
}

/** A whole server on a free port, gone when the test is finished. */
export const startServer = async ({
  environment = {},
  clock = systemClock,
  dataDir,
  outside = systemNetwork,
}: StartOptions = {}): Promise<TestServer> => {
  const folder = dataDir ?? (await newDataFolder());
  const log: string[] = [];
  const config = configFrom({
    PORT: '0',
    DATA_DIR: folder,
    ...(environment.DATABASE_URL === undefined && storeEnvironment(folder)),
    SETUP_TOKEN: setupToken,
    LOG_LEVEL: 'trace',
    ...environment,
  });
  const app = await createApp({
    config,
    clock,
    writeLog: (line) => void log.push(line),
    outside,
    passwords: quickPasswords,
  });
  let closed: Promise<void> | null = null;
  const close: App['close'] = (how) => (closed ??= app.close(how));
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  const listened = await app.listen();
  // With a public address the tests still go to the port.
  const url = environment.PUBLIC_URL === undefined ? listened : `http://127.0.0.1:${app.port()}`;
  return {
    app: { ...app, close },
    url,
    dataDir: folder,
    log,
    send: (path, sent) => send(url + path, withProof(sent)),
  };
};

export const owner = { name: 'Owner', email: 'owner@example.org', password: 'a long password' };

/** The cookies of an answer as a browser sends them; their proof is stored for requests with them. */
export const cookiesOf = (got: Got): string => {
  const cookie = (got.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
  const proof = /"sessionProof":"([^"]+)"/.exec(got.text)?.[1];
  if (proof !== undefined) proofs.set(cookie, proof);
  return cookie;
};

/** Makes the owner; returns the cookie of the new session. */
export const signUpOwner = async (server: TestServer): Promise<string> => {
  const got = await server.send('/trpc/setup.createOwner', {
    method: 'POST',
    body: { setupToken, ...owner },
  });
  return cookiesOf(got);
};

/** The answer of one procedure; `input` undefined asks a query without input. */
export const procedureResult = (got: Got): unknown => {
  const { json } = got;
  if (typeof json !== 'object' || json === null || !('result' in json)) return json;
  // tRPC's envelope, which the door's own tests pin.
  return (json.result as { data: unknown }).data;
};
