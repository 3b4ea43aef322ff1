import type { Tracer } from '../ports.ts';

/** Traces nothing. */
export const noTracer: Tracer = { traceId: () => null, record: () => {} };
