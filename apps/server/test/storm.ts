import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { sleep, systemClock } from '@drawbridge/kit';
import { migrate, openDatabase } from '../src/db/index.ts';
import { createGateway, defaultLimits } from '../src/gateway/index.ts';
import { openStream, type TestStream } from './daemon.ts';
import { initBody } from './gateway-fixture.ts';
import { send } from './server.ts';

/** The folder of a server that has stopped, with so many machines that were connected, and their keys. */
export const stoppedServer = async (machines: number): Promise<{ dataDir: string; keys: string[] }> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'storm-'));
  const database = openDatabase({ url: undefined, dataDir });
  await migrate(database.db);
  const gateway = createGateway({
    store: database,
    clock: systemClock,
    limits: defaultLimits,
    pairing: {
      gatewayApiKey: undefined,
      secret: 'one',
      daemonCommand: (token) => token,
      isInsecure: () => false,
    },
    module: {
      isAgentOn: async () => false,
      localGateway: true,
      localGatewayFallbackDirectory: null,
      canShareFolder: true,
    },
    isOwner: async () => false,
    log: { info: () => {}, error: () => {} },
    onError: (error) => {
      throw error;
    },
  });
  await gateway.start();
  const keys: string[] = [];
  for (let at = 0; at < machines; at += 1) {
    const { token } = await gateway.pairing.createLink(`person-${at}`);
    const { sessionKey } = await gateway.daemon.init(token, initBody());
    if (sessionKey !== undefined) keys.push(sessionKey);
  }
  await gateway.stop();
  await database.close();
  return { dataDir, keys };
};

/** A daemon comes back: announces itself and opens its stream, and tries again when it is sent away. */
export const comeBack = async (url: string, key: string): Promise<TestStream> => {
  const headers = { [gatewayKeyHeader]: key };
  for (;;) {
    const got = await send(`${url}${daemonMounts.bare}/init`, { method: 'POST', headers, body: initBody() });
    if (got.status === 200) return openStream(`${url}${daemonMounts.bare}/events`, headers);
    if (got.status !== 429) throw new Error(`init: ${got.status} ${got.text}`);
    await sleep(systemClock, Number(got.headers['retry-after']) * 1_000 * Math.random());
  }
};
