import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Tracer } from '@drawbridge/agent';
import { type Clock } from '@drawbridge/kit';
import { toSpan, traceIdOf, type SpanParts } from './to-span.ts';

interface Needs {
  /** The base URL of an OTLP/HTTP receiver; spans go to `<endpoint>/v1/traces`. */
  endpoint: string;
  hasContent: boolean;
  scrub(text: string): string;
  warn(sentence: string): void;
  clock: Clock;
}

export interface OpenTracer {
  tracer: Tracer;
  /** Sends what is left, for 2 s at most. */
  close(): Promise<void>;
}

const closeMs = 2_000;
const exportMs = 5_000;

const about = { 'service.name': 'drawbridge' };
const resource: SpanParts['resource'] = {
  attributes: about,
  merge: (other) => other ?? resource,
  getRawAttributes: () => Object.entries(about),
};

/** Reports the first failure in a row of each exporter; spans that cannot be sent are dropped. */
const reporting = (exporter: SpanExporter, warn: Needs['warn']): SpanExporter => {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isFailing) warn('The receiver of traces at OTEL_EXPORTER_OTLP_ENDPOINT fails');
        isFailing = hasFailed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
};

/** Imports OpenTelemetry, and sends spans in batches beside the agent's work. */
export const openTracer = async (needs: Needs): Promise<OpenTracer> => {
  const { endpoint, hasContent, scrub, warn, clock } = needs;
  const [api, { BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportMs });
  const processor = new BatchSpanProcessor(reporting(exporter, warn));
  const { SpanKind, SpanStatusCode } = api;
  const parts: SpanParts = {
    resource,
    kinds: { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT },
    codes: { unset: SpanStatusCode.UNSET, error: SpanStatusCode.ERROR },
    hasContent,
    scrub,
  };
  return {
    tracer: {
      traceId: traceIdOf,
      record: (span) => {
        try {
          processor.onEnd(toSpan(span, parts));
        } catch (error) {
          warn(`A span was dropped: ${error instanceof Error ? error.message : 'unknown error'}`);
        }
      },
    },
    close: async () => {
      const timedOut = Promise.withResolvers<void>();
      const cancelTimer = clock.after(closeMs, timedOut.resolve);
      await Promise.race([processor.shutdown().catch(() => {}), timedOut.promise]);
      cancelTimer();
    },
  };
};
