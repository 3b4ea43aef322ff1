import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { withMachine } from '../../../test/agent.ts';
import { newToken } from '../../../test/rpc.ts';

const source = readFileSync(new URL('../../../test/example-client.txt', import.meta.url), 'utf8');

/** What the test uses of the specification's class. */
interface ExampleClient {
  connect(): void;
  ws: WebSocket;
  systemInfo(): Promise<object>;
  listSessions(): Promise<object>;
  listTools(): Promise<object>;
  contextUsage(): Promise<object>;
  sendMessage(message: string, sessionId: string): Promise<object>;
}

it('the example client of the specification, with its line breaks, connects, lists, sends and receives', async () => {
  const sha256 = createHash('sha256').update(source.replaceAll(/\s/g, '')).digest('hex');
  expect(sha256).toBe('0bf4673eb89f49bb883f597b56a33cdab2974f0081aa9a5992e90450cdf0cc7a');
  const { server, cookie } = await withMachine(() => ({ text: 'Hello!' }));
  const { token } = await newToken(server, cookie);
  const printed: unknown[][] = [];
  const print = (...words: unknown[]) => void printed.push(words);
  // Its timers would keep the process; a late answer is not the subject here.
  const globals = { WebSocket, console: { log: print, warn: print, error: print }, setTimeout: () => {} };
  const Client = runInNewContext(`${source}; FlynnClient`, globals) as new (
    url: string,
    token: string,
  ) => ExampleClient;
  const client = new Client(server.url.replace('http', 'ws'), token);
  client.connect();
  await new Promise((resolve) => client.ws.addEventListener('open', resolve));
  expect(await client.systemInfo()).toMatchObject({ version: '0.1.0', connections: 1 });
  expect(await client.listSessions()).toEqual({ sessions: [], total: 0 });
  expect(await client.listTools()).toMatchObject({ tools: [{ name: 'read_file' }] });
  const answer = await client.sendMessage('Hello, Flynn!', 'telegram:123456');
  expect(answer).toMatchObject({ sessionId: 'telegram:123456', response: 'Hello!' });
  expect(await client.contextUsage()).toMatchObject({ sessions: [{ sessionId: 'telegram:123456' }] });
  expect(printed).toContainEqual(['Content:', 'Hello!']);
  expect(printed).toContainEqual(['Done:', 'Hello!']);
  client.ws.close();
});
