import {
  CLIENT_CAPABILITIES_META_KEY,
  classifyInboundRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type InboundClassificationOutcome,
} from '@modelcontextprotocol/server';
import { hasOnly, isRecord, isRpcId, type RpcId } from '../../../rpc/index.ts';
import { capabilitiesIn } from '../elicitation/client-capabilities.ts';
import { statelessRevision as stateless } from '../server-info.ts';
import type { ClientCapability } from '../tools/call.ts';

/** The headers that say what a message is, as they came. */
export interface McpHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
  accept: string | undefined;
}

/** A `tools/list` or `tools/call` with nothing but the usual fields. */
export interface PlainRequest {
  id: RpcId;
  /** Whether it is of revision 2026-07-28, whose results say what kind they are. */
  isStateless: boolean;
  /** Null for `tools/list`. */
  call: { name: string; arguments: Record<string, unknown> } | null;
  /** The client's `_meta`, without the protocol's own names. */
  meta: Record<string, unknown>;
  progressToken: RpcId | undefined;
  /** What the client can be asked for, where each request says so. */
  capabilities: readonly ClientCapability[];
}

const reservedPrefix = 'io.modelcontextprotocol/';
const callParams = new Set(['name', 'arguments', '_meta']);
const listParams = new Set(['_meta']);
/** What a message of an earlier revision may name as its own, or nothing. */
const olderVersions: ReadonlySet<string | undefined> = new Set<string | undefined>([
  undefined,
  ...SUPPORTED_PROTOCOL_VERSIONS,
]);

const plainMethods = new Set<unknown>(['tools/call', 'tools/list']);
const messageNames = new Set(['jsonrpc', 'id', 'method', 'params']);
const metaNames = new Set(['progressToken']);

const isPlainMeta = (meta: unknown) =>
  meta === undefined ||
  (isRecord(meta) &&
    hasOnly(meta, metaNames) &&
    (meta['progressToken'] === undefined || isRpcId(meta['progressToken'])));

/** Whether a message is clearly a request of an earlier revision that is only about tools. */
const isPlain = (body: unknown): boolean => {
  if (!isRecord(body) || !hasOnly(body, messageNames)) return false;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || !isRpcId(id) || !plainMethods.has(method)) return false;
  return params === undefined || (isRecord(params) && isPlainMeta(params['_meta']));
};

/**
 * What kind of message came, and of which revision; as the protocol's own server classifies it, without its
 * cost where it is plain.
 */
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

/** Whether the message was found to be a request of JSON-RPC, with an id. */
const isRequest = (outcome: InboundClassificationOutcome): boolean =>
  outcome.kind === 'legacy'
    ? outcome.reason === 'no-claim'
    : outcome.kind === 'modern' && outcome.messageKind === 'request';

const readsBoth = (accept = '') =>
  accept.includes('application/json') && accept.includes('text/event-stream');

const ownMeta = (meta: Record<string, unknown>): [RpcId | undefined, Record<string, unknown>] | null => {
  const { progressToken, ...rest } = meta;
  if (progressToken !== undefined && !isRpcId(progressToken)) return null;
  const own = Object.entries(rest).filter(([name]) => !name.startsWith(reservedPrefix));
  return [progressToken, Object.fromEntries(own)];
};

interface Said {
  method: string;
  name: string | undefined;
}

/**
 * Whether the headers say exactly what the message says; a name that is written another way is left to the
 * protocol's server.
 */
const headersFit = (outcome: InboundClassificationOutcome, { method, name }: Said, headers: McpHeaders) => {
  if (outcome.kind === 'legacy') return olderVersions.has(headers.version) && readsBoth(headers.accept);
  const isServed = outcome.kind === 'modern' && outcome.classification.revision === stateless;
  return isServed && headers.version === stateless && headers.method === method && headers.name === name;
};

const readCall = (params: Record<string, unknown>): PlainRequest['call'] => {
  const { name, arguments: args = {} } = params;
  return typeof name === 'string' && isRecord(args) && hasOnly(params, callParams)
    ? { name, arguments: args }
    : null;
};

/**
 * Reads a message of the two frequent methods in plain form, with matching headers, for an answer without the
 * SDK. Null for all others, which the SDK answers or refuses.
 */
export const readPlainRequest = (
  outcome: InboundClassificationOutcome,
  body: unknown,
  headers: McpHeaders,
): PlainRequest | null => {
  if (!isRequest(outcome) || !isRecord(body)) return null;
  const { id, method, params = {} } = body;
  if (!isRpcId(id) || (method !== 'tools/call' && method !== 'tools/list') || !isRecord(params)) return null;
  const call = method === 'tools/call' ? readCall(params) : null;
  if (method === 'tools/call' ? call === null : !hasOnly(params, listParams)) return null;
  if (!headersFit(outcome, { method, name: call?.name }, headers)) return null;
  const { _meta = {} } = params;
  const meta = isRecord(_meta) ? ownMeta(_meta) : null;
  if (!meta) return null;
  const isStateless = outcome.kind === 'modern';
  const capabilities =
    isStateless && isRecord(_meta) ? capabilitiesIn(_meta[CLIENT_CAPABILITIES_META_KEY]) : [];
  return { id, isStateless, call, progressToken: meta[0], meta: meta[1], capabilities };
};

const declaration = '"x-mcp-header":';
const knownSchemas = new WeakMap<object, boolean>();

/** Whether a schema wants parts of the arguments in headers too (`x-mcp-header`, revision 2026-07-28). */
export const headerParametersIn = (schema: object | undefined): boolean => {
  if (!schema) return false;
  const isDeclared = knownSchemas.get(schema) ?? JSON.stringify(schema).includes(declaration);
  knownSchemas.set(schema, isDeclared);
  return isDeclared;
};
