import { z } from 'zod';
import { parseJson } from '../../text/parse-json.ts';

const requestId = z.union([z.number(), z.string()]);

/** A request has an id and a method, a notification a method, an answer an id. */
const message = z.object({
  id: requestId.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const withdrawn = z.object({ requestId });

export interface Incoming {
  method: string;
  params: unknown;
}

/** The program answered a request with an error. */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

/** `withdrawal`: aborted when the other side withdraws its request. */
export interface PeerNeeds {
  /** The notification with which the other side withdraws a request. */
  withdraws: string;
  send(line: string): void;
  /** Gives the result of a request of the other side; undefined for a method that is not known here. */
  request(incoming: Incoming, withdrawal: AbortSignal): Promise<object> | undefined;
  notification(incoming: Incoming): void;
}

const methodNotFound = { code: -32_601, message: 'Method not found' };
const requestCancelled = { code: -32_800, message: 'Request cancelled' };

/** JSON-RPC 2.0 in both directions, one message a line. What is no message is left out. */
export const createPeer = ({ withdraws, send, request, notification }: PeerNeeds) => {
  let lastId = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const served = new Map<string | number, AbortController>();
  const write = (body: object) => send(JSON.stringify({ jsonrpc: '2.0', ...body }));

  const serve = async (id: string | number, incoming: Incoming): Promise<void> => {
    const withdrawal = new AbortController();
    const answer = request(incoming, withdrawal.signal);
    if (answer === undefined) return write({ id, error: methodNotFound });
    served.set(id, withdrawal);
    try {
      const result = await answer;
      write(withdrawal.signal.aborted ? { id, error: requestCancelled } : { id, result });
    } catch (error) {
      write({ id, error: { code: -32_603, message: error instanceof Error ? error.message : 'failed' } });
    } finally {
      served.delete(id);
    }
  };
  const onNotification = (incoming: Incoming) => {
    if (incoming.method !== withdraws) return notification(incoming);
    const { data } = withdrawn.safeParse(incoming.params);
    if (data) served.get(data.requestId)?.abort();
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
        if (id === undefined) onNotification({ method, params });
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
