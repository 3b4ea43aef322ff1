import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { cleanUp } from './clean-up.ts';
import type { BrowserMode, Modes } from '../../src/permission/index.ts';
import { makeFolders, openTools } from './tool-fixture.ts';

type Answerer = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A site on this machine that answers to every name and counts what reaches it. */
export const openSite = async (pages: (port: number) => Record<string, Answerer>) => {
  const hits: string[] = [];
  const waiting = new Map<string, () => void>();
  const answers = new Map<string, Answerer>();
  const hit = (host: string | undefined, path: string) => {
    const text = `${(host ?? '').replace(/:\d+$/, '')}${path}`;
    hits.push(text);
    waiting.get(text)?.();
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    hit(request.headers.host, path);
    const answer = answers.get(path);
    if (typeof answer === 'function') return answer(request, response);
    response.setHeader('content-type', 'text/html');
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer ?? 'nothing');
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.on('upgrade', (request, socket) => {
    hit(request.headers.host, `${request.url} (websocket)`);
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  const serve = (pages: Record<string, Answerer>) => {
    for (const [path, answer] of Object.entries(pages)) answers.set(path, answer);
  };
  serve(pages(port));
  cleanUp(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return {
    port,
    hits,
    /** Adds pages, in the place of others with the same path. */
    serve,
    connections: () => connections,
    url: (name: string, path = '/') => `http://${name}:${port}${path}`,
    /** Resolves when this has been asked for: `good.example/a`. */
    reached: (text: string) =>
      hits.includes(text) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(text, resolve)),
  };
};

export const redirect =
  (location: string, status = 302): Answerer =>
  (_request, response) => {
    response.writeHead(status, { location });
    response.end();
  };

export interface WorldOptions {
  /** Hosts with a rule that always allows them. */
  allow?: string[];
  deny?: string[];
  modes?: Partial<Modes>;
  mode?: BrowserMode;
  serverUrl?: string;
  /** What names lead to; 127.0.0.1 where nothing is said. */
  resolve?: (hostname: string) => Promise<string[]>;
  folders?: ReturnType<typeof makeFolders>;
}

/** The browser's tools behind a real gate; every name leads to this machine. */
export const openBrowserTools = async ({
  allow = [],
  deny = [],
  modes = {},
  mode = 'ephemeral',
  serverUrl = 'http://127.0.0.1:9',
  resolve = async () => ['127.0.0.1'],
  folders = makeFolders(),
}: WorldOptions = {}) => {
  const world = await openTools({ modes, folders, toolsets: { browser: { mode, serverUrl, resolve } } });
  const rules = (hosts: string[]) => hosts.map((resource) => ({ toolGroup: 'browser' as const, resource }));
  await world.settings.addRules('allow', rules([...allow, 'about:blank']));
  await world.settings.addRules('deny', rules(deny));
  return { ...world, go: (url: string) => world.call('browser_navigate', { url }) };
};

/** All text of a result. */
export const allText = (result: ToolResult): string =>
  result.content
    .map((printText) => (printText.type === 'text' ? printText.text : `<${printText.type}>`))
    .join('\n');

/** Repeats a call until its results say it; what they said until then. */
export const until = async (call: () => Promise<ToolResult>, words: string, before = ''): Promise<string> => {
  let said = before;
  for (let attempt = 0; attempt < 40 && !said.includes(words); attempt += 1) said += allText(await call());
  return said;
};
