import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const request = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string(),
  params: z.object({ arguments: z.record(z.string(), z.unknown()).optional() }).optional(),
});

const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'stand-in', version: '1' },
  },
  'tools/list': { tools: [{ name: 'ring', description: 'Rings a bell', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'rung' }] },
};

export interface McpStandIn {
  url: string;
  /** How often `ring` was called. */
  rings(): number;
  /** Resolves with the first call. */
  rung: Promise<void>;
  close(): Promise<void>;
}

/** A call is answered when it resolves. */
type OnRing = (args: Record<string, unknown>, number: number) => Promise<unknown>;

/** An MCP server over HTTP with one tool; by default its first call stays open. */
export const startMcpStandIn = async (
  onRing: OnRing = (_, number) => new Promise((resolve) => number > 1 && resolve(null)),
): Promise<McpStandIn> => {
  const rung = Promise.withResolvers<void>();
  let rings = 0;
  const server = createServer(async (incoming, reply) => {
    if (incoming.method !== 'POST') return void reply.writeHead(405).end();
    const { id, method, params } = request.parse(JSON.parse(await text(incoming)));
    if (id === undefined) return void reply.writeHead(202).end();
    if (method === 'tools/call') {
      rings += 1;
      rung.resolve();
      await onRing(params?.arguments ?? {}, rings);
    }
    const result = results[method];
    const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    rings: () => rings,
    rung: rung.promise,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
