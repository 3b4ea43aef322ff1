import { isRecord } from '../calls/readable.ts';

/** The outcome of a request to `/mcp`. `http` 0: no response. */
export type McpReply =
  | { kind: 'result'; result: Record<string, unknown> }
  | { kind: 'refused'; http: number; message: string };

export type McpPost = (method: string, params?: Record<string, unknown>) => Promise<McpReply>;

const revision = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'drawbridge-panel', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The message of an answer: its body, or the last event of a stream. */
const messageOf = (type: string, text: string): unknown => {
  if (!type.startsWith('text/event-stream')) return parsed(text);
  const data = text.split('\n').findLast((line) => line.startsWith('data:'));
  return data === undefined ? undefined : parsed(data.slice('data:'.length));
};

const replyOf = (http: number, message: unknown): McpReply => {
  if (!isRecord(message)) return { kind: 'refused', http, message: 'The response is not from this server.' };
  if (isRecord(message.result)) return { kind: 'result', result: message.result };
  const text = isRecord(message.error) ? message.error.message : undefined;
  return {
    kind: 'refused',
    http,
    message: typeof text === 'string' ? text : 'The server refused the request.',
  };
};

/**
 * Sends requests to this server's `/mcp` in revision 2026-07-28, as an agent with that token would:
 * without the panel's session. Never throws.
 */
export const createMcpPost = (token: string, send: typeof fetch): McpPost => {
  let id = 0;
  return async (method, params = {}) => {
    id += 1;
    try {
      const response = await send('/mcp', {
        method: 'POST',
        credentials: 'omit',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'mcp-protocol-version': revision,
          'mcp-method': method,
          ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
      });
      const text = await response.text();
      return replyOf(response.status, messageOf(response.headers.get('content-type') ?? '', text));
    } catch {
      return { kind: 'refused', http: 0, message: 'The server does not respond.' };
    }
  };
};
