import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { bearer, clientInfo, outcomeOf, type Connect } from './client.ts';

/** The official SDK's client, held to revision 2026-07-28. */
export const connectSdk2026: Connect = async (address) => {
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address.url), { requestInit: { headers: bearer(address) } }),
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given, signal) =>
      outcomeOf(await client.callTool({ name, arguments: given }, { ...(signal && { signal }) })),
    close: () => client.close(),
  };
};
