import type { Clock } from '@drawbridge/kit';
import { readLimited } from '../../limited-body.ts';

export interface OriginRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

export interface OriginReply {
  status: number;
  text: string;
}

export interface OriginLimits {
  ms: number;
  maxBytes: number;
}

/**
 * Asks a service that the owner configured, and no other origin: redirects fail. Throws the signal's reason,
 * and else an error with one sentence that names the service alone.
 */
export const createOriginFetch = (
  { clock, service }: { clock: Clock; service: string },
  { ms, maxBytes }: OriginLimits,
) => {
  return async (url: URL, { signal, ...request }: OriginRequest): Promise<OriginReply> => {
    const late = new AbortController();
    const cancel = clock.after(ms, () => late.abort());
    const ended = AbortSignal.any([signal, late.signal]);
    try {
      const response = await fetch(url, {
        ...request,
        redirect: 'error',
        signal: ended,
      });
      const body = await readLimited(response.body, maxBytes);
      return { status: response.status, text: body.toString() };
    } catch (error) {
      signal.throwIfAborted();
      if (late.signal.aborted) throw new Error(`${service} did not answer within ${ms / 1_000} seconds.`);
      if (error instanceof RangeError) throw new Error(`The answer of ${service} is too large.`);
      throw new Error(`${service} could not be reached.`);
    } finally {
      cancel();
    }
  };
};
