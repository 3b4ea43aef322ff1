import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { sleep, systemClock } from '@drawbridge/kit';
import { freePort, type Processes } from '@drawbridge/e2e/harness';
import type { Pool } from 'undici';
import { poolOf } from './bare.ts';
import type { Shot } from './load.ts';

const require = createRequire(import.meta.url);

/** A program of a package, by the path of its file in there. */
const programOf = (name: string, file: string) =>
  join(dirname(require.resolve(`${name}/package.json`)), file);

const revision = '2025-11-25';
const plainHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** A tool call of MCP, whose arguments each server names in its own way. */
export interface McpAsked {
  name: string;
  arguments: Record<string, unknown>;
  expects: string;
}

/** Opens a session as a client does; the shot makes calls in it, each with an id of its own. */
export const mcpShot = async (
  pool: Pool,
  asked: McpAsked,
  given: Record<string, string> = {},
): Promise<Shot> => {
  const path = '/mcp';
  const post = (headers: Record<string, string>, message: object) =>
    pool.request({ path, method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const clientInfo = { name: 'bench', version: '1' };
  const started = await post(
    { ...plainHeaders, ...given },
    { id: 0, method: 'initialize', params: { protocolVersion: revision, capabilities: {}, clientInfo } },
  );
  await started.body.dump();
  const session = started.headers['mcp-session-id'];
  const headers = {
    ...plainHeaders,
    ...given,
    'mcp-protocol-version': revision,
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  };
  await (await post(headers, { method: 'notifications/initialized' })).body.dump();
  const { name, arguments: args, expects } = asked;
  let id = 0;
  const body = () =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: (id += 1),
      method: 'tools/call',
      params: { name, arguments: args },
    });
  return { pool, path, headers, body, expects };
};

const filesystem = () => programOf('@modelcontextprotocol/server-filesystem', 'dist/index.js');

const retryMs = 100;
const mostTries = 300;

/** The pool of a program that listens before long; what it prints says less. */
const poolWhenOpen = async (port: number): Promise<Pool> => {
  for (let tries = 0; tries < mostTries; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return poolOf(`http://127.0.0.1:${port}`);
    await sleep(systemClock, retryMs);
  }
  throw new Error(`nothing listens on port ${port}`);
};

interface Proxy {
  pool: Pool;
  /** With all that it has started. */
  process: ReturnType<Processes['start']>;
}

/** `supergateway` in front of the filesystem server, with sessions: one process serves all calls of one. */
export const startSupergateway = async (processes: Processes, root: string): Promise<Proxy> => {
  const port = await freePort();
  const process = processes.start({
    command: execPath,
    args: [
      programOf('supergateway', 'dist/index.js'),
      '--stdio',
      `"${execPath}" "${filesystem()}" "${root}"`,
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--logLevel',
      'info',
      '--port',
      String(port),
    ],
  });
  return { process, pool: await poolWhenOpen(port) };
};

/** `mcp-proxy` in front of the same. */
export const startMcpProxy = async (processes: Processes, root: string): Promise<Proxy> => {
  const port = await freePort();
  const process = processes.start({
    command: execPath,
    args: [
      programOf('mcp-proxy', 'dist/bin/mcp-proxy.mjs'),
      '--port',
      String(port),
      '--server',
      'stream',
      '--',
      execPath,
      filesystem(),
      root,
    ],
  });
  return { process, pool: await poolWhenOpen(port) };
};
