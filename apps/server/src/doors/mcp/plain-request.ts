import {
  CLIENT_CAPABILITIES_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  type InboundClassificationOutcome,
} from '@modelcontextprotocol/server';
import { abilitiesOf, type ClientAbility } from './client-side.ts';
import { hasOnly, isRecord, isRpcId, type RpcId } from './json-rpc.ts';

/** The headers that say what a message is, as they came. */
export interface McpHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
  accept: string | undefined;
}

/** A `tools/list` or `tools/call` that asks for nothing out of the ordinary. */
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
  can: readonly ClientAbility[];
}

const stateless = '2026-07-28';
const reservedPrefix = 'io.modelcontextprotocol/';
const callParams = new Set(['name', 'arguments', '_meta']);
const listParams = new Set(['_meta']);
/** What a message of an earlier revision may name as its own, or nothing. */
export const olderVersions: ReadonlySet<string | undefined> = new Set<string | undefined>([
  undefined,
  ...SUPPORTED_PROTOCOL_VERSIONS,
]);

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

/** Whether the headers say exactly what the message says; a name that is written another way is left to the protocol's server. */
const headersFit = (outcome: InboundClassificationOutcome, { method, name }: Said, headers: McpHeaders) => {
  if (outcome.kind === 'legacy') return olderVersions.has(headers.version) && readsBoth(headers.accept);
  const isServed = outcome.kind === 'modern' && outcome.classification.revision === stateless;
  return isServed && headers.version === stateless && headers.method === method && headers.name === name;
};

const readCall = (params: Record<string, unknown>): PlainRequest['call'] => {
  const { name, arguments: given = {} } = params;
  return typeof name === 'string' && isRecord(given) && hasOnly(params, callParams)
    ? { name, arguments: given }
    : null;
};

/**
 * Reads a message that can be answered without the protocol's own server: the two methods that are asked all the time, in
 * their plain form, with headers that fit. Null for everything else, which that server answers or refuses.
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
  const can = isStateless && isRecord(_meta) ? abilitiesOf(_meta[CLIENT_CAPABILITIES_META_KEY]) : [];
  return { id, isStateless, call, progressToken: meta[0], meta: meta[1], can };
};
