import type { Clock } from '@drawbridge/kit';
import { createServiceFetch, OriginError, type ServiceReply, type ServiceRequest } from '../outside/index.ts';
import { PlatformError } from './adapter.ts';

interface Needs {
  clock: Clock;
  /** Of the platform, in sentences. */
  name: string;
  limits: { ms: number; maxBytes: number };
}

export type PlatformFetch = (to: URL, request: ServiceRequest) => Promise<ServiceReply>;

/** Another try would find a redirect, or an answer that is too large, as it is. */
const kindOf = (error: unknown): PlatformError['kind'] => {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof RangeError) return 'too-large';
  return cause instanceof OriginError ? 'refused' : 'network';
};

/** Asks a platform, each of its hosts alone. What fails on the way is a `PlatformError`. */
export const createPlatformFetch = (needs: Needs): PlatformFetch => {
  const origins = new Map<string, PlatformFetch>();
  return (to, request) => {
    const send = origins.get(to.origin) ?? createServiceFetch({ ...needs, origin: to.origin });
    origins.set(to.origin, send);
    return send(to, request).catch((error: unknown) => {
      request.signal.throwIfAborted();
      throw new PlatformError(kindOf(error), error instanceof Error ? error.message : `${needs.name} failed`);
    });
  };
};
