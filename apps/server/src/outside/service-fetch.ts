import type { Clock } from '@drawbridge/kit';
import { readLimited } from './bodies.ts';
import { createDeadline } from './deadline.ts';
import { createOriginFetch } from './origin-fetch.ts';

export interface ServiceRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | FormData;
  signal: AbortSignal;
}

export interface ServiceReply {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The same as UTF-8. */
  readonly text: string;
}

interface Service {
  clock: Clock;
  /** Its name in sentences. */
  name: string;
  origin: string;
  limits: { ms: number; maxBytes: number };
}

/**
 * Asks a service that the owner configured. Throws the signal's reason, and else an error with one sentence
 * that names the service alone.
 */
export const createServiceFetch = ({ clock, name, origin, limits: { ms, maxBytes } }: Service) => {
  const fetchOrigin = createOriginFetch(origin);
  return async (url: URL, { signal, ...request }: ServiceRequest): Promise<ServiceReply> => {
    const deadline = createDeadline({ clock, ms }, signal);
    try {
      const response = await fetchOrigin(url, { ...request, signal: deadline.signal });
      const bytes = await readLimited(response.body, maxBytes);
      return {
        status: response.status,
        headers: response.headers,
        bytes,
        get text() {
          return bytes.toString();
        },
      };
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.isOver()) throw new Error(`${name} did not answer within ${ms / 1_000} seconds.`);
      if (error instanceof RangeError)
        throw new Error(`The answer of ${name} is too large.`, { cause: error });
      throw new Error(`${name} could not be reached.`, { cause: error });
    } finally {
      deadline.stop();
    }
  };
};
