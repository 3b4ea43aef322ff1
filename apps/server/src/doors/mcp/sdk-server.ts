import { McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import { createProgress } from './progress.ts';
import type { Toolbox } from './toolbox.ts';

/** How long a client may keep what it was told of the tools; a change is told to those who listen. */
export const cacheHint = { ttlMs: 60_000, cacheScope: 'private' } as const;

export const serverInfo = { name: 'drawbridge', title: 'Drawbridge', version: '0.1.0' };

export const capabilities = { tools: { listChanged: true } };

export const instructions =
  "These tools run on a person's own machine, within what that person allows. A call may wait for the person to decide; " +
  'when it is refused, do not try to reach the same thing another way.';

/** The protocol's own server for one request of one caller; `schema` is that of the tool which the request calls. */
export const createSdkServer = (
  toolbox: Toolbox,
  caller: Caller,
  schema: Record<string, unknown> | undefined,
): McpServer => {
  const product = new McpServer(serverInfo, {
    instructions,
    cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
  });
  const { server } = product;
  server.registerCapabilities(capabilities);
  // Its entry asks for it to compare `Mcp-Param-` headers. A tool that is registered would have its arguments checked here too.
  Object.assign(product, { toolInputSchemaJson: () => schema });
  server.setRequestHandler('tools/list', async () => ({ tools: await toolbox.list(caller) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const { progressToken, ...meta } = mcpReq._meta ?? {};
    const progress = createProgress();
    return toolbox.call(
      caller,
      { name: params.name, arguments: params.arguments ?? {}, meta },
      {
        signal: mcpReq.signal,
        ...(progressToken !== undefined && {
          onProgress: (event) =>
            void mcpReq
              .notify({ method: 'notifications/progress', params: { ...progress(event), progressToken } })
              .catch(() => {}),
        }),
      },
    );
  });
  return product;
};
