import { CLIENT_CAPABILITIES_META_KEY, McpServer } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { ToolAnswer } from './answer.ts';
import { abilitiesOf } from './client-side.ts';
import { createProgress } from './progress.ts';
import type { Toolbox } from './toolbox.ts';

/** How long a client may keep what it was told of the tools; a change is told to those who listen. */
export const cacheHint = { ttlMs: 60_000, cacheScope: 'private' } as const;

export const serverInfo = { name: 'drawbridge', title: 'Drawbridge', version: '0.1.0' };

/** A machine has no prompts and no resources; clients that ask for them are shown none. */
const capabilities = { tools: { listChanged: true }, prompts: {}, resources: {} };

const instructions =
  "These tools run on a person's own machine, within what that person allows. A call may wait for the person to decide; " +
  'when it is refused, do not try to reach the same thing another way.';

const cached = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
] as const;

/** The protocol's own server for one request of one caller; `schema` is that of the tool which the request calls. */
export const createSdkServer = (
  toolbox: Toolbox,
  caller: Caller,
  { schema, read }: { schema: Record<string, unknown> | undefined; read: Promise<boolean> },
): McpServer => {
  const product = new McpServer(serverInfo, {
    instructions,
    cacheHints: Object.fromEntries(cached.map((method) => [method, cacheHint])),
  });
  const { server } = product;
  server.registerCapabilities(capabilities);
  // Its entry asks for it to compare `Mcp-Param-` headers. A tool that is registered would have its arguments checked here too.
  Object.assign(product, { toolInputSchemaJson: () => schema });
  server.setRequestHandler('tools/list', async () => ({ tools: await toolbox.list(caller) }));
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<ToolAnswer> => {
    const { progressToken, ...meta } = mcpReq._meta ?? {};
    const progress = createProgress();
    const { inputResponses: responses } = mcpReq;
    const declared: Record<string, unknown> = { ...mcpReq.envelope };
    const requestState = mcpReq.requestState<string>();
    const client = {
      can: abilitiesOf(declared[CLIENT_CAPABILITIES_META_KEY]),
      ...(mcpReq.envelope && { takesQuestions: true as const }),
      ...(responses && { responses }),
      ...(requestState !== undefined && { requestState }),
    };
    return toolbox.call(
      caller,
      { name: params.name, arguments: params.arguments ?? {}, meta, client },
      {
        signal: mcpReq.signal,
        read,
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
