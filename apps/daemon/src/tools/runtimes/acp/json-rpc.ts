import type { z } from 'zod';
import { parseJson } from '../../../text/parse-json.ts';
import { message, type Incoming } from './frames.ts';

/** The program answered a request with an error. */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export interface PeerNeeds {
  send(line: string): void;
  /** Gives the result of a request of the other side; undefined for a method that is not known here. */
  request(incoming: Incoming): Promise<object> | undefined;
  notification(incoming: Incoming): void;
}

const methodNotFound = { code: -32_601, message: 'Method not found' };

/** JSON-RPC 2.0 in both directions, one message a line. What is no message is left out. */
export const createPeer = ({ send, request, notification }: PeerNeeds) => {
  let lastId = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const write = (body: object) => send(JSON.stringify({ jsonrpc: '2.0', ...body }));

  const serve = async (id: string | number, incoming: Incoming): Promise<void> => {
    const answer = request(incoming);
    if (answer === undefined) return write({ id, error: methodNotFound });
    try {
      write({ id, result: await answer });
    } catch (error) {
      write({ id, error: { code: -32_603, message: error instanceof Error ? error.message : 'failed' } });
    }
  };

  return {
    /** Rejects with `RpcError`, or with what `close` gives. */
    call: async <T>(method: string, params: object, schema: z.ZodType<T>): Promise<T> => {
      const id = (lastId += 1);
      const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      write({ id, method, params });
      const parsed = schema.safeParse(await answered);
      if (!parsed.success) throw new RpcError(-32_603, `the answer to ${method} is not understood`);
      return parsed.data;
    },
    notify: (method: string, params: object) => write({ method, params }),
    line: (text: string) => {
      const given = parseJson(message, text);
      if (given === undefined) return;
      const { id, method, params, result, error } = given;
      if (method !== undefined) {
        if (id === undefined) notification({ method, params });
        else void serve(id, { method, params });
        return;
      }
      if (typeof id !== 'number') return;
      const one = waiting.get(id);
      waiting.delete(id);
      if (error) one?.reject(new RpcError(error.code, error.message));
      else one?.resolve(result);
    },
    close: (error: Error) => {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
};
