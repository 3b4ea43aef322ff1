import type { Clock } from '@drawbridge/kit';
import { createServiceFetch, type ServiceReply, type ServiceRequest } from '../outside/index.ts';
import { PlatformError } from './adapter.ts';

interface Needs {
  clock: Clock;
  /** Of the platform, in sentences. */
  name: string;
  limits: { ms: number; maxBytes: number };
}

export type PlatformFetch = (to: URL, request: ServiceRequest) => Promise<ServiceReply>;

/** Asks a platform, each of its hosts alone. What fails on the way is a `PlatformError` of the network. */
export const createPlatformFetch = (needs: Needs): PlatformFetch => {
  const origins = new Map<string, PlatformFetch>();
  return (to, request) => {
    const send = origins.get(to.origin) ?? createServiceFetch({ ...needs, origin: to.origin });
    origins.set(to.origin, send);
    return send(to, request).catch((error: unknown) => {
      request.signal.throwIfAborted();
      // It would be as large the next time.
      if (error instanceof Error && error.cause instanceof RangeError)
        throw new PlatformError('too-large', error.message);
      throw new PlatformError('network', error instanceof Error ? error.message : `${needs.name} failed`);
    });
  };
};
