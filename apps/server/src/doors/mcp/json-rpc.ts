/** The codes of JSON-RPC and of MCP that this door answers with itself. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** MCP's transports use it for what is refused before a message is read. */
  refused: -32_000,
  sessionNotFound: -32_001,
} as const;

export type RpcId = string | number;

export const isRpcId = (value: unknown): value is RpcId =>
  typeof value === 'string' || Number.isSafeInteger(value);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const hasOnly = (record: object, names: ReadonlySet<string>): boolean =>
  Object.keys(record).every((name) => names.has(name));

interface RpcError {
  code: number;
  message: string;
  id?: RpcId | null;
  data?: unknown;
}

/** An error as JSON-RPC has it; `id` is null where no request can be named. */
export const rpcError = ({ id = null, code, message, data }: RpcError) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});
