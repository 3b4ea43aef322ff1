import { z } from 'zod';

/** The version of the JSON-RPC door's protocol. */
export const rpcProtocolVersion = 1;

/** The subprotocol of a WebSocket that opens with a ticket, and the prefix of the one that carries it. */
export const rpcSubprotocol = 'drawbridge.v1';
export const ticketSubprotocol = 'drawbridge.ticket.';
export const ticketPrefix = 'dbw_';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** Of the JSON-RPC door; docs/jsonrpc.md says what happens beyond each. */
export const rpcLimits = {
  fragments: 256,
  batch: 20,
  /** In characters. */
  idLength: 128,
  methodLength: 64,
  sessionIdLength: 200,
  openRequests: 100,
  subscriptions: 20,
  socketsPerPrincipal: 20,
  socketsPerPerson: 60,
  sockets: 5_000,
  /** In characters. */
  messageLength: 100_000,
  attachments: 10,
  /** Decoded, in bytes. */
  attachmentBytes: 8 * megabyte,
  attachmentsBytes: 10 * megabyte,
  /** Of the JSON of a tool call's arguments, in bytes. */
  argumentsBytes: 4 * megabyte,
  /** Of one event of a tool, in characters. */
  toolEventLength: 64 * kilobyte,
  ticketMs: 30_000,
} as const;

/** Names a session of the agent, for one user and one principal. */
export const rpcSessionId = z.string().regex(/^[\w:.@/+-]{1,200}$/);

export const rpcEventNames = [
  'content',
  'tool_start',
  'tool_output',
  'tool_end',
  'attachment',
  'context_warning',
  'run_state',
  'confirm_request',
  'confirm_resolved',
  'done',
  'error',
  'caught_up',
  'reset',
  'node_replaced',
  'shutdown',
] as const;
export type RpcEventName = (typeof rpcEventNames)[number];
