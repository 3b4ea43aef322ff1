import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { OutsideError } from '@drawbridge/agent';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openStandIn } from '../../../test/http-stand-in.ts';
import { openMcpServer, type Method } from '../../../test/mcp-server.ts';
import { createLimitedFetch } from './limited-fetch.ts';
import { createMcpClients, type McpServerConfig } from './clients.ts';

const never = new AbortController().signal;

const openClients = (...configs: McpServerConfig[]) => {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const servers = [...configs];
  const mcp = createMcpClients({
    clock,
    servers: async () => servers,
    reserved: ['read_file'],
    warn: (sentence) => warnings.push(sentence),
  });
  onTestFinished(() => mcp.close());
  const names = async () => (await mcp.tools()).map(({ name }) => name);
  const call = async (args: Record<string, unknown> = {}, signal = never) => {
    const [tool] = await mcp.tools();
    if (!tool) throw new Error('no tools');
    return mcp.call(tool, args, signal);
  };
  return { clock, warnings, servers, mcp, names, call };
};

const open = async (methods: Record<string, Method> = {}) => {
  const server = await openMcpServer(methods);
  return { server, ...openClients({ name: 'files', url: `${server.url}/mcp` }) };
};

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('the tools of MCP servers', () => {
  it('are offered under the name of their server, and called there', async () => {
    const { mcp, call, server } = await open();
    expect(await mcp.tools()).toEqual([
      {
        name: 'mcp__files__echo',
        server: 'files',
        tool: 'echo',
        description: 'Says it',
        inputSchema: { type: 'object' },
      },
    ]);
    expect(await call({ a: 1 })).toEqual(text('{"a":1}'));
    expect(server.called.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(server.called.filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  it('of revision 2026-07-28 are called too', async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'modern', version: '1' });
      server.registerTool('add', { inputSchema: z.object({ a: z.number() }) }, ({ a }) => ({
        content: [{ type: 'text', text: String(a + 1) }],
      }));
      return server;
    });
    const service = await openStandIn(({ method, path, headers, body }, reply) => {
      const init = { method, headers: headers as Record<string, string>, ...(body !== '' && { body }) };
      const answer = async () => {
        const response = await handler.fetch(new Request(new URL(path, service.url), init));
        reply.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
      };
      void answer();
    });
    const { call } = openClients({ name: 'modern', url: service.url });
    expect(await call({ a: 1 })).toMatchObject(text('2'));
    expect(service.asked.at(-1)?.headers['mcp-protocol-version']).toBe('2026-07-28');
  });

  it('with reserved names, bad names and schemas that are too deep are left out, with one warning each', async () => {
    let deep: object = { type: 'string' };
    for (let at = 0; at < 40; at += 1) deep = { type: 'array', items: deep };
    const { names, warnings, clock } = await open({
      'tools/list': () => ({
        tools: [
          { name: 'plan', inputSchema: { type: 'object' } },
          { name: 'Read-File', inputSchema: { type: 'object' } },
          { name: '../x', inputSchema: { type: 'object' } },
          { name: 'deep', inputSchema: { type: 'object', properties: { deep } } },
          { name: 'fine', inputSchema: { type: 'object' } },
        ],
      }),
    });
    expect(await names()).toEqual(['mcp__files__fine']);
    clock.advance(60_000);
    await names();
    expect(warnings).toEqual([
      expect.stringContaining('"plan" of the MCP server "files" is left out'),
      expect.stringContaining('"Read-File" of the MCP server "files" is left out'),
      expect.stringContaining('"../x"'),
      expect.stringContaining('more than 32 levels deep'),
    ]);
  });

  it('are listed page by page, at most 128 of them', async () => {
    const { names, server } = await open({
      'tools/list': ({ cursor = '0' }) => ({
        tools: Array.from({ length: 50 }, (_, at) => ({ name: `t${String(cursor)}_${at}`, inputSchema: {} })),
        nextCursor: String(Number(cursor) + 1),
      }),
    });
    expect(await names()).toHaveLength(128);
    expect(server.called.filter((method) => method === 'tools/list')).toHaveLength(3);
  });

  it('are listed again after a minute, and at once for another configuration', async () => {
    const { server, servers, names, clock } = await open();
    const other = await openMcpServer();
    await names();
    clock.advance(59_999);
    await names();
    expect(server.called.filter((method) => method === 'tools/list')).toHaveLength(1);
    clock.advance(1);
    await names();
    expect(server.called.filter((method) => method === 'tools/list')).toHaveLength(2);
    servers.splice(0, 1, { name: 'other', url: other.url });
    expect(await names()).toEqual(['mcp__other__echo']);
    expect(server.called.filter((method) => method === 'tools/list')).toHaveLength(2);
  });
});

describe('a server that fails', () => {
  it('is left out with a warning, does not hold up the others, and is asked again at the next use', async () => {
    let isDown = true;
    const flaky = await openMcpServer({
      initialize: (_params, reply) => {
        if (isDown) return void reply.writeHead(503).end();
        return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      },
    });
    const fine = await openMcpServer();
    const { names, warnings } = openClients(
      { name: 'flaky', url: flaky.url },
      { name: 'fine', url: fine.url },
    );
    expect(await names()).toEqual(['mcp__fine__echo']);
    expect(warnings).toEqual(['The MCP server "flaky" could not be reached.']);
    isDown = false;
    expect(await names()).toEqual(['mcp__flaky__echo', 'mcp__fine__echo']);
  });

  it('RX-14 is silent: it is given up after 10 s, and left alone for a minute', async () => {
    const { names, warnings, clock, server } = await open({ 'tools/list': () => void clock.advance(10_000) });
    expect(await names()).toEqual([]);
    expect(warnings).toEqual(['The MCP server "files" did not answer within 10 seconds.']);
    await names();
    expect(server.called.filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  it.each([
    ['RX-14 an answer beyond 1 MiB', 'gave an answer longer than 1 MiB', () => text('x'.repeat(1024 * 1024))],
    [
      'RX-14 an endless stream',
      'gave an answer longer than 1 MiB',
      (_params: unknown, reply: Parameters<Method>[1]) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = () => {
          while (!reply.destroyed && reply.write(`: ${'x'.repeat(10_000)}\n\n`));
          reply.once('drain', more);
        };
        more();
      },
    ],
    [
      'an answer that breaks off',
      'could not be reached',
      (_params: unknown, reply: Parameters<Method>[1]) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: message\n');
        reply.socket?.resetAndDestroy();
      },
    ],
    [
      'a result of no known kind',
      'gave a result that cannot be read',
      () => ({ content: [{ type: 'what' }] }),
    ],
    [
      'an error of its own',
      'answered: ',
      (_params: unknown, reply: Parameters<Method>[1], { body }: Parameters<Method>[2]) => {
        const { id } = JSON.parse(body) as { id: number };
        reply.setHeader('content-type', 'application/json');
        reply.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'disk\nfull' } }));
      },
    ],
  ] as const)('%s ends the call with a sentence, and the next one works', async (_what, sentence, answer) => {
    const { call, server } = await open();
    const { 'tools/call': echo } = server.all;
    server.all['tools/call'] = answer;
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutsideError);
    expect(String(error)).toContain(`The MCP server "files" ${sentence}`);
    if (echo) server.all['tools/call'] = echo;
    expect(await call({ b: 2 })).toEqual(text('{"b":2}'));
  });

  it('SS-10 gets no redirect to another origin', async () => {
    const other = await openMcpServer();
    const { names, warnings } = await open({
      initialize: (_params, reply) => void reply.writeHead(307, { location: other.url }).end(),
    });
    expect(await names()).toEqual([]);
    expect(warnings).toEqual(['The MCP server "files" could not be reached.']);
    expect(other.asked).toEqual([]);
  });

  it('SS-10 is asked at its own origin alone', async () => {
    const other = await openMcpServer();
    const fetchLimited = createLimitedFetch({ origin: 'http://own.example', failed: () => {} });
    await expect(fetchLimited(other.url, { method: 'POST' })).rejects.toThrow('Another origin');
    expect(other.asked).toEqual([]);
  });

  it('is left when the call is aborted, with the reason of the signal', async () => {
    const stop = new AbortController();
    const { call } = await open({ 'tools/call': () => stop.abort(new Error('stopped')) });
    await expect(call({}, stop.signal)).rejects.toThrow('stopped');
  });

  it('says in a test what it offers, or what is wrong', async () => {
    const { mcp, servers } = await open();
    servers.push({ name: 'gone', url: 'http://127.0.0.1:1/' });
    expect(await mcp.test()).toEqual([
      { name: 'files', state: 'ok', text: 'Offers 1 tools.' },
      {
        name: 'gone',
        state: 'failed',
        text: 'The MCP server "gone" could not be reached. Check its address.',
      },
    ]);
  });
});
