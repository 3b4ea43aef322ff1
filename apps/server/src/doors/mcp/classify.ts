import { classifyInboundRequest, type InboundClassificationOutcome } from '@modelcontextprotocol/server';
import { hasOnly, isRecord, isRpcId } from './json-rpc.ts';
import { olderVersions, type McpHeaders } from './plain-request.ts';

const plainMethods = new Set<unknown>(['tools/call', 'tools/list']);
const messageNames = new Set(['jsonrpc', 'id', 'method', 'params']);
const metaNames = new Set(['progressToken']);

const isPlainMeta = (meta: unknown) =>
  meta === undefined ||
  (isRecord(meta) &&
    hasOnly(meta, metaNames) &&
    (meta['progressToken'] === undefined || isRpcId(meta['progressToken'])));

/** Whether a message is, at a glance, a request of an earlier revision that asks for nothing but tools. */
const isPlain = (body: unknown): boolean => {
  if (!isRecord(body) || !hasOnly(body, messageNames)) return false;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || !isRpcId(id) || !plainMethods.has(method)) return false;
  return params === undefined || (isRecord(params) && isPlainMeta(params['_meta']));
};

/** What kind of message came, and of which revision; the protocol's own judgement, without its cost where it is plain. */
export const classify = (
  body: unknown,
  { version, method, name }: Omit<McpHeaders, 'accept'>,
): InboundClassificationOutcome => {
  if (version !== undefined && olderVersions.has(version) && isPlain(body))
    return { kind: 'legacy', reason: 'no-claim', requestedVersion: version };
  return classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    body,
  });
};
