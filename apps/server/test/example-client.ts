import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';

/** The class that the specification prints. */
export const exampleSource = readFileSync(new URL('example-client.txt', import.meta.url), 'utf8');

/** What tests use of it. */
interface ExampleClient {
  connect(): void;
  ws: WebSocket;
  systemInfo(): Promise<object>;
  listSessions(): Promise<object>;
  listTools(): Promise<object>;
  contextUsage(): Promise<object>;
  sendMessage(message: string, sessionId: string): Promise<{ response: string }>;
}

/** A connected client of the server at `url`, and the words that it prints. */
export const openExampleClient = async (url: string, token: string) => {
  const printed: unknown[][] = [];
  const print = (...words: unknown[]) => void printed.push(words);
  // Its timers would keep the process; a late answer is not the subject here.
  const globals = { WebSocket, console: { log: print, warn: print, error: print }, setTimeout: () => {} };
  const Client = runInNewContext(`${exampleSource}; FlynnClient`, globals) as new (
    url: string,
    token: string,
  ) => ExampleClient;
  const client = new Client(url.replace('http', 'ws'), token);
  client.connect();
  await new Promise((resolve) => client.ws.addEventListener('open', resolve));
  return { client, printed };
};
