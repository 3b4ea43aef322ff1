import { systemClock } from '@drawbridge/kit';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { makeFolders, openTools, type ToolsOptions } from './tool-fixture.ts';
import { openMcpServers, type McpServer } from '../../src/tools/mcp/servers-file.ts';

const base = `
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tool = (name, more) => ({ name, inputSchema: { type: 'object' }, ...more });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
let tools = [tool('echo')];
const on = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'scripted', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: given }) => text(JSON.stringify(given)),
};
const answers = new Map();
const request = (method, params) =>
  new Promise((resolve) => {
    const id = 'q' + answers.size;
    answers.set(id, resolve);
    write({ id, method, params });
  });
const form = (message, properties = { name: { type: 'string' } }) =>
  request('elicitation/create', { message, requestedSchema: { type: 'object', properties } });
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params, ...answer } = JSON.parse(line);
    if (method === undefined) return answers.get(id)?.(answer.result ?? answer.error);
    const result = await on[method]?.(params, id);
    if (id !== undefined && result !== undefined) write({ id, result });
  });
`;

/** A small MCP server for tests: `script` changes `tools` and `on`, and asks with `form`. */
export const scripted = (folder: string, script = ''): McpServer => {
  const path = join(folder, 'server.cjs');
  writeFileSync(path, base + script);
  return { command: process.execPath, args: [path], env: {} };
};

export const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 10 });

/** Whether a process runs; one that has ended and was not fetched yet does not. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** The machine's tools with one MCP server `own` beside them, which has listed its tools. */
export const withServer = async (script = '', given: ToolsOptions = { modes: { mcp: 'allow' } }) => {
  const folders = makeFolders();
  const servers = await openMcpServers(folders.own, systemClock);
  const server = scripted(folders.outside, script);
  await servers.add('own', server);
  const said: string[] = [];
  const world = await openTools({ folders, notify: (sentence) => said.push(sentence), ...given });
  const offered = () => world.toolbox.offered(world.gate.modes()).filter(({ name }) => name.includes('__'));
  const names = () => offered().map(({ name }) => name);
  await until(() => expect(names()).not.toEqual([]));
  return {
    ...world,
    servers,
    server,
    said,
    offered,
    names,
    script: (next: string) => scripted(folders.outside, next),
  };
};
