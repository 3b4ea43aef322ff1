import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { requestHeaders } from '../../http/index.ts';
import type { Caller } from './caller.ts';
import type { CallWatch } from './run-call.ts';
import { createSdkServer } from './sdk-server.ts';
import type { Toolbox } from './toolbox.ts';

interface ServeNeeds {
  toolbox: Toolbox;
  /** Where a caller hears that its list of tools has changed. */
  busOf(caller: Caller): ServerEventBus;
}

const calledName = (body: unknown): string | undefined => {
  const params = typeof body === 'object' && body !== null && 'params' in body ? body.params : undefined;
  const name = typeof params === 'object' && params !== null && 'name' in params ? params.name : undefined;
  return typeof name === 'string' ? name : undefined;
};

/** The client at the other end, and whether it had its answer. */
export type Client = Pick<CallWatch, 'signal' | 'read'>;

/** One exchange with the protocol's own server, for both revisions; nothing of it outlives the exchange. */
export type Serve = (caller: Caller, request: FastifyRequest, client: Client) => Promise<Response>;

export const createServe =
  ({ toolbox, busOf }: ServeNeeds): Serve =>
  async (caller, request, { signal, read }) => {
    const { method, body } = request;
    const name = calledName(body);
    const tool = name === undefined ? undefined : await toolbox.find(caller, name);
    const handler = createMcpHandler(
      () => createSdkServer(toolbox, caller, { schema: tool?.inputSchema, read }),
      {
        bus: busOf(caller),
      },
    );
    // The body is parsed already, and of the address nothing is read.
    const webRequest = new Request('http://local/mcp', { method, headers: requestHeaders(request), signal });
    return handler.fetch(webRequest, { parsedBody: body });
  };
