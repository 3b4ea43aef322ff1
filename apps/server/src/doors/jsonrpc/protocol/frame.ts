import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { CodedError } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';
import { readJson } from '../../../http/index.ts';
import { isRecord, isRpcId, type RpcId } from '../../../rpc/index.ts';
import { failureOf, type Dialect, type Failure } from './error.ts';

/** One member of a frame. A notification has no id, and gets no frame at all. */
export type Incoming =
  | { kind: 'call'; id: RpcId; dialect: Dialect; method: string; params: Record<string, unknown> }
  | { kind: 'notification'; dialect: 'strict'; method: string; params: Record<string, unknown> }
  /** `id` is null where none can be named. */
  | { kind: 'bad'; id: RpcId | null; dialect: Dialect; failure: Failure }
  /** A response, which a client never sends. */
  | { kind: 'ignored' };

export interface ReadFrame {
  members: Incoming[];
  isBatch: boolean;
}

const bad = (message: string) => failureOf(errors.badRequest({ message }), { about: 'frame' });

const idOf = (value: unknown): RpcId | null =>
  isRpcId(value) && String(value).length <= rpcLimits.idLength ? value : null;

const dialectOf = ({ jsonrpc }: Record<string, unknown>): Dialect | null => {
  if (jsonrpc === undefined) return 'seed';
  return jsonrpc === '2.0' ? 'strict' : null;
};

/** Both names of a session; `sessionId` wins. */
const withSessionId = (params: Record<string, unknown>): Record<string, unknown> =>
  params.session === undefined || params.sessionId !== undefined
    ? params
    : { ...params, sessionId: params.session };

const readMember = (value: unknown, otherwise: Dialect): Incoming => {
  if (!isRecord(value))
    return { kind: 'bad', id: null, dialect: otherwise, failure: bad('A request is an object') };
  const { method, params } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'ignored' };
  const id = idOf(value.id);
  const dialect = dialectOf(value);
  const refuse = (failure: Failure): Incoming => ({ kind: 'bad', id, dialect: dialect ?? 'strict', failure });
  if (dialect === null) return refuse(bad('jsonrpc must be "2.0" or absent'));
  const isNotification = dialect === 'strict' && !('id' in value);
  if (id === null && !isNotification)
    return refuse(bad(`id must be an integer or a text of at most ${rpcLimits.idLength} characters`));
  if (typeof method !== 'string' || method === '') return refuse(bad('method is missing'));
  if (method.length > rpcLimits.methodLength)
    return refuse(bad(`method has at most ${rpcLimits.methodLength} characters`));
  if (params !== undefined && !isRecord(params))
    return refuse(failureOf(errors.badRequest({ message: 'params must be an object' })));
  const call = { method, params: withSessionId(params ?? {}) };
  return id === null
    ? { kind: 'notification', dialect: 'strict', ...call }
    : { kind: 'call', id, dialect, ...call };
};

/** Why a text is no frame: not JSON (`-1`), or JSON that no frame may be (`-2`). */
const refusalOf = (bytes: Uint8Array, error: unknown): Failure => {
  if (error instanceof CodedError && error.code === errors.tooDeep().code) return failureOf(error);
  try {
    JSON.parse(Buffer.from(bytes).toString());
    return bad('The frame has a key that is not allowed');
  } catch {
    return { ...bad('The frame is not valid JSON'), rpc: -1 };
  }
};

/** Reads the bytes of one frame. `otherwise` is the dialect where the frame does not show one. */
export const readFrame = (bytes: Uint8Array, otherwise: Dialect): ReadFrame => {
  const one = (failure: Failure): ReadFrame => ({
    members: [{ kind: 'bad', id: null, dialect: otherwise, failure }],
    isBatch: false,
  });
  let value: unknown;
  try {
    ({ value } = readJson(bytes));
  } catch (error) {
    return one(refusalOf(bytes, error));
  }
  if (!Array.isArray(value)) return { members: [readMember(value, otherwise)], isBatch: false };
  if (value.length === 0 || value.length > rpcLimits.batch)
    return one(bad(`A batch has 1 to ${rpcLimits.batch} requests`));
  return { members: value.map((member) => readMember(member, otherwise)), isBatch: true };
};
