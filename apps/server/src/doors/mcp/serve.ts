import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { requestHeaders } from '../../http/index.ts';
import type { Caller } from './caller.ts';
import { createSdkServer } from './sdk-server.ts';
import type { Toolbox } from './toolbox.ts';

interface ServeNeeds {
  toolbox: Toolbox;
  /** Where a caller hears that its list of tools has changed. */
  busOf(caller: Caller): ServerEventBus;
}

/** One exchange with the protocol's own server, for both revisions; nothing of it outlives the exchange. */
export type Serve = (caller: Caller, request: FastifyRequest, signal: AbortSignal) => Promise<Response>;

export const createServe =
  ({ toolbox, busOf }: ServeNeeds): Serve =>
  (caller, request, signal) => {
    const handler = createMcpHandler(() => createSdkServer(toolbox, caller), { bus: busOf(caller) });
    const { method, body } = request;
    // The body is parsed already, and of the address nothing is read.
    const webRequest = new Request('http://local/mcp', { method, headers: requestHeaders(request), signal });
    return handler.fetch(webRequest, { parsedBody: body });
  };
