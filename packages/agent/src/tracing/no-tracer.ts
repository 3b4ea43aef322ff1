import type { Tracer } from '../ports/tracing.ts';

/** Traces nothing. */
export const noTracer: Tracer = { traceId: () => null, record: () => {} };
