import type { Processes } from '@drawbridge/e2e/harness';
import { Pool } from 'undici';
import { inFlight, type Shot } from './load.ts';
import { startBuilt } from './processes.ts';

/** A tool call and a text that its answer must contain. */
export interface Asked {
  name: string;
  arguments: Record<string, unknown>;
  expects: string;
}

const headers = { 'content-type': 'application/json' };

export const poolOf = (url: string): Pool => new Pool(url, { connections: inFlight });

/** Posts a call as it is. */
export const rawShot = (pool: Pool, path: string, { name, arguments: given, expects }: Asked): Shot => ({
  pool,
  path,
  headers,
  body: JSON.stringify({ name, arguments: given }),
  expects,
});

/** The bare bridge: where daemons connect, and a pool for calls. */
export const startBareServer = async (processes: Processes) => {
  const process = startBuilt(processes, { name: 'bare-server' });
  const [, url = '', calls = ''] = await process.says(/ready on (\S+) calls on (\S+)/);
  return { url, pool: poolOf(calls), process };
};

export const startBareDaemon = async (processes: Processes, url: string, root: string) => {
  const daemon = startBuilt(processes, { name: 'bare-daemon', args: [url, root] });
  await daemon.says(/connected/);
  return daemon;
};

/** Bare Fastify with tRPC on top of a bare bridge. */
export const startBarePanel = async (processes: Processes) => {
  const panel = startBuilt(processes, { name: 'bare-panel' });
  const [, url = '', panelUrl = ''] = await panel.says(/ready on (\S+) panel on (\S+)/);
  return { url, panelUrl };
};
