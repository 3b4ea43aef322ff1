import type { RpcId } from '../../../rpc/index.ts';
import type { Dialect, Failure } from './error.ts';
import { errorFrame, resultFrame, type RpcEvent } from './reply.ts';

/** One request in flight: any number of events, then one result or one error, and nothing after it. */
export interface OpenRequest {
  event(event: RpcEvent): void;
  result(result: unknown): void;
  error(failure: Failure): void;
}

interface Needs {
  write(dialect: Dialect, id: RpcId, event: RpcEvent): void;
  /** More than these are refused. */
  max: number;
}

interface Opening {
  id: RpcId;
  dialect: Dialect;
  /** Takes the last frame of the request. */
  settle(frame: object): void;
}

/** The requests of one connection that have no last frame yet, by their id. */
export const createRequests = ({ write, max }: Needs) => {
  const open = new Map<RpcId, (failure: Failure) => void>();

  return {
    has: (id: RpcId): boolean => open.has(id),
    isFull: (): boolean => open.size >= max,
    size: (): number => open.size,
    /** The id must be free. Writing after the last frame throws, but for a request that `endAll` ended. */
    open: ({ id, dialect, settle }: Opening): OpenRequest => {
      let state: 'open' | 'ended' | 'cut' = 'open';
      const isWritable = () => {
        if (state === 'ended') throw new Error(`request ${JSON.stringify(id)} has its last frame already`);
        return state === 'open';
      };
      const end = (frame: object) => {
        if (!isWritable()) return;
        state = 'ended';
        open.delete(id);
        settle(frame);
      };
      const error = (failure: Failure) => end(errorFrame(dialect, id, failure));
      open.set(id, (failure) => {
        error(failure);
        state = 'cut';
      });
      return {
        event: (event) => {
          if (isWritable()) write(dialect, id, event);
        },
        result: (result) => end(resultFrame(dialect, id, result)),
        error,
      };
    },
    /** Ends every open request with an error; what they write later is dropped. */
    endAll: (failure: Failure): void => {
      for (const cut of [...open.values()]) cut(failure);
    },
  };
};

export type Requests = ReturnType<typeof createRequests>;
