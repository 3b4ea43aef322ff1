import type { RpcEventName } from '@drawbridge/contracts/rpc/protocol';
import type { RpcId } from '../../../rpc/index.ts';
import { errorOf, type Dialect, type Failure } from './error.ts';

/** Where an event belongs, beside its request. */
export interface EventPlace {
  sessionId?: string | undefined;
  /** The number of the event in its session. */
  seq?: number | undefined;
  runId?: string | undefined;
}

export interface RpcEvent extends EventPlace {
  event: RpcEventName;
  data: unknown;
}

const head = (dialect: Dialect) => (dialect === 'strict' ? { jsonrpc: '2.0' as const } : {});

export const resultFrame = (dialect: Dialect, id: RpcId, result: unknown): object => ({
  ...head(dialect),
  id,
  result,
});

export const errorFrame = (dialect: Dialect, id: RpcId | null, failure: Failure): object => ({
  ...head(dialect),
  id,
  error: errorOf(failure, dialect),
});

/** An event of a request; `id` is null for one of the connection. */
export const eventFrame = (dialect: Dialect, id: RpcId | null, { event, data, ...place }: RpcEvent): object =>
  dialect === 'strict'
    ? { jsonrpc: '2.0', method: 'event', params: { requestId: id, event, data, ...place } }
    : { id, event, data, ...place };
