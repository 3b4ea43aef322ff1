import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it, onTestFinished } from 'vitest';
import { connect, text } from '../../../test/gateway-fixture.ts';
import { openMcp, type McpFixture } from '../../../test/mcp.ts';

const info = { name: 'test', version: '1' };

const options = (bearer: string) => ({ requestInit: { headers: { authorization: `Bearer ${bearer}` } } });

const older = async ({ url }: McpFixture, bearer = 'ada') => {
  const client = new OlderClient(info);
  await client.connect(new OlderTransport(new URL(`${url}/mcp`), options(bearer)) as never);
  onTestFinished(() => client.close());
  return client;
};

const modern = async ({ url }: McpFixture, bearer = 'ada') => {
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options(bearer)));
  onTestFinished(() => client.close());
  return client;
};

const clients = [
  ['2025-11-25', older],
  ['2026-07-28', modern],
] as const;

it.each(clients)('a client of %s lists the tools and runs one', async (_revision, open) => {
  const mcp = await openMcp();
  const { key, stream } = await connect(mcp.gateway, 'ada');
  const client = await open(mcp);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['machine_status', 'call_result', 'read_file', 'write_file']);
  const running = client.callTool({ name: 'read_file', arguments: { filePath: 'a.txt' } });
  await expect.poll(() => stream.requests().length).toBe(1);
  const [request] = stream.requests();
  expect(request?.toolCall).toEqual({ name: 'read_file', arguments: { filePath: 'a.txt' } });
  await mcp.gateway.daemon.respond(key, request?.requestId ?? '', text('hello'));
  expect(await running).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
});
