import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  McpServer,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { BearerCaller } from '../../../callers/index.ts';
import { requestHeaders } from '../../../http/index.ts';
import { isRecord } from '../../../rpc/index.ts';
import { callTool } from '../elicitation/call-tool.ts';
import { capabilitiesIn } from '../elicitation/client-capabilities.ts';
import type { ElicitationContext } from '../elicitation/sealed-state.ts';
import { cacheHint, serverInfo } from '../server-info.ts';
import type { CallWatch, ToolAnswer } from '../tools/call.ts';
import { createProgress } from '../tools/progress.ts';
import { findMachineTool, listTools } from '../tools/tool-list.ts';

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

interface SdkServerOptions extends Pick<CallWatch, 'delivered'> {
  /** That of the tool which the request calls. */
  schema: Record<string, unknown> | undefined;
}

/** The protocol's own server for one request of one caller. */
const createSdkServer = (
  ctx: ElicitationContext,
  caller: BearerCaller,
  { schema, delivered }: SdkServerOptions,
): McpServer => {
  const product = new McpServer(serverInfo, {
    instructions,
    cacheHints: Object.fromEntries(cached.map((method) => [method, cacheHint])),
  });
  const { server } = product;
  server.registerCapabilities(capabilities);
  // The SDK's handler compares `Mcp-Param-` headers with it; a registered tool would validate arguments.
  product.toolInputSchemaJson = () => schema;
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools(ctx, caller) }));
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
      capabilities: capabilitiesIn(declared[CLIENT_CAPABILITIES_META_KEY]),
      ...(mcpReq.envelope && { takesInputRequired: true as const }),
      ...(responses && { responses }),
      ...(requestState !== undefined && { requestState }),
    };
    const onProgress: CallWatch['onProgress'] = (event) =>
      void mcpReq
        .notify({ method: 'notifications/progress', params: { ...progress(event), progressToken } })
        .catch(() => {});
    return callTool(ctx, caller, {
      request: { name: params.name, arguments: params.arguments ?? {}, meta, client },
      watch: { signal: mcpReq.signal, delivered, ...(progressToken !== undefined && { onProgress }) },
    });
  });
  return product;
};

const calledName = (body: unknown): string | undefined => {
  const params = isRecord(body) ? body['params'] : undefined;
  const name = isRecord(params) ? params['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
};

interface SdkExchange extends Pick<CallWatch, 'signal' | 'delivered'> {
  caller: BearerCaller;
  request: FastifyRequest;
  /** Publishes to the caller that its list of tools has changed. */
  bus: ServerEventBus;
}

/** One exchange with the protocol's own server, in either revision; nothing of it outlives the exchange. */
export const answerWithSdk = async (
  ctx: ElicitationContext,
  { caller, request, signal, delivered, bus }: SdkExchange,
): Promise<Response> => {
  const { method, body } = request;
  const name = calledName(body);
  const tool = name === undefined ? undefined : await findMachineTool(ctx, caller, name);
  const handler = createMcpHandler(
    () => createSdkServer(ctx, caller, { schema: tool?.inputSchema, delivered }),
    { bus },
  );
  // The body is parsed already, and of the address nothing is read.
  const webRequest = new Request('http://local/mcp', { method, headers: requestHeaders(request), signal });
  return handler.fetch(webRequest, { parsedBody: body });
};
