import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { fromRoot, newFolder } from '../harness/index.ts';
import { bearer, clientInfo, outcomeOf, type Connect, type ConnectedClient } from './client.ts';

const mcpRemote = fromRoot('e2e/node_modules/mcp-remote/dist/proxy.js');

const connected = (client: Client): ConnectedClient => ({
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, given, signal) =>
    outcomeOf(await client.callTool({ name, arguments: given }, undefined, { ...(signal && { signal }) })),
  close: () => client.close(),
});

/** The official SDK's client of revision 2025-11-25. */
export const connectSdk2025: Connect = async (address) => {
  const client = new Client(clientInfo);
  const transport = new StreamableHTTPClientTransport(new URL(address.url), {
    requestInit: { headers: bearer(address) },
  });
  // The transport's optional session id is declared as one that may be undefined.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return connected(client);
};

/** `mcp-remote`, with which programs that know only stdio reach a server, behind the same client. */
export const connectMcpRemote: Connect = async (address) => {
  const client = new Client(clientInfo);
  const home = newFolder('mcp-remote');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [mcpRemote, address.url, '--header', `Authorization: Bearer ${address.token}`],
      env: { HOME: home, MCP_REMOTE_CONFIG_DIR: home },
      stderr: 'ignore',
    }),
  );
  return connected(client);
};
