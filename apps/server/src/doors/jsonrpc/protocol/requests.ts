import type { RpcId } from '../../../rpc/index.ts';
import { type Failure } from './error.ts';
import type { Dialect } from './frame.ts';
import { errorFrame, eventFrame, resultFrame, type RpcEvent } from './reply.ts';

/** One request in flight: any number of events, then one result or one error, and nothing after it. */
export interface OpenRequest {
  event(event: RpcEvent): void;
  result(result: unknown): void;
  error(failure: Failure): void;
}

interface Needs {
  /** Writes an event of a request. */
  write(frame: object, id: RpcId | null): void;
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
  const open = new Set<RpcId>();

  return {
    has: (id: RpcId): boolean => open.has(id),
    isFull: (): boolean => open.size >= max,
    /** The id must be free. Writing after the last frame throws. */
    open: ({ id, dialect, settle }: Opening): OpenRequest => {
      open.add(id);
      let isOpen = true;
      const expectOpen = () => {
        if (!isOpen) throw new Error(`request ${JSON.stringify(id)} has its last frame already`);
      };
      const end = (frame: object) => {
        expectOpen();
        isOpen = false;
        open.delete(id);
        settle(frame);
      };
      return {
        event: (event) => {
          expectOpen();
          write(eventFrame(dialect, id, event), id);
        },
        result: (result) => end(resultFrame(dialect, id, result)),
        error: (failure) => end(errorFrame(dialect, id, failure)),
      };
    },
  };
};

export type Requests = ReturnType<typeof createRequests>;
