import { openStandIn, replyJson, type StandInRequest } from './http-stand-in.ts';
import type { ServerResponse } from 'node:http';

type Params = Record<string, unknown>;
export type Method = (params: Params, reply: ServerResponse, request: StandInRequest) => unknown;

const legacy = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'scripted', version: '1' },
};

/**
 * An MCP server of revision 2025-11-25 over HTTP, by its methods. A method that returns undefined has
 * answered, or leaves the request open. `called`: the methods in their order.
 */
export const openMcpServer = async (methods: Record<string, Method> = {}) => {
  const called: string[] = [];
  const all: Record<string, Method> = {
    initialize: () => legacy,
    'tools/list': () => ({
      tools: [{ name: 'echo', description: 'Says it', inputSchema: { type: 'object' } }],
    }),
    'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] }),
    ...methods,
  };
  const service = await openStandIn((request, reply) => {
    if (request.method !== 'POST') return void reply.writeHead(405).end();
    const {
      id,
      method,
      params = {},
    } = JSON.parse(request.body) as { id?: number; method: string; params?: Params };
    if (id === undefined) return void reply.writeHead(202).end();
    called.push(method);
    const answer = all[method];
    if (!answer)
      return replyJson(reply, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    const result = answer(params, reply, request);
    if (result !== undefined) replyJson(reply, { jsonrpc: '2.0', id, result });
  });
  return { ...service, called, all };
};
