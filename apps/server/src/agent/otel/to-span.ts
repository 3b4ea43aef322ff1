import { createHash } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { maskSecrets, type TraceSpan } from '@drawbridge/agent';
import { cutText } from '@drawbridge/kit';

const attributeLength = 256;
const contentBytes = 4 * 1_024;
/** A text is cut before it is searched for secrets, and again after it. */
const searchedLength = 16 * contentBytes;

const digest = (text: string, bytes: number) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes);

/** Both ids follow from ours: spans of one run belong together across a restart. */
export const traceIdOf = (runId: string): string => digest(`trace ${runId}`, 16);
const spanIdOf = (runId: string, id: string) => digest(`span ${runId} ${id}`, 8);

const sampled = 1;
const contextOf = (runId: string, id: string): SpanContext => ({
  traceId: traceIdOf(runId),
  spanId: spanIdOf(runId, id),
  traceFlags: sampled,
});

const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

const cutBytes = (text: string): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= contentBytes) return text;
  // Not within a character: its later bytes begin with 10.
  let end = contentBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
};

/** The parts of OpenTelemetry's names and numbers that a span needs. */
export interface SpanParts {
  resource: ReadableSpan['resource'];
  kinds: { internal: number; client: number };
  codes: { unset: number; error: number };
  /** Masks keys that the server knows. */
  scrub(text: string): string;
  hasContent: boolean;
}

const attributesOf = (span: TraceSpan, { scrub, hasContent }: SpanParts): ReadableSpan['attributes'] => {
  const short = (text: string) => cutText(scrub(text), attributeLength);
  const own = Object.entries(span.attributes).map(([name, value]) => {
    if (typeof value === 'string') return [name, short(value)];
    return [name, Array.isArray(value) ? value.map(short) : value];
  });
  const content = hasContent ? Object.entries(span.content?.() ?? {}) : [];
  const texts = content.map(([name, text]) => [
    name,
    cutBytes(scrub(maskSecrets(cutText(text, searchedLength)))),
  ]);
  return {
    'gen_ai.operation.name': span.operation,
    ...Object.fromEntries([...own, ...texts]),
    ...(span.error !== undefined && { 'error.type': span.error }),
  };
};

/** A span of ours as OpenTelemetry exports it. */
export const toSpan = (span: TraceSpan, parts: SpanParts): ReadableSpan => {
  const { runId, id, parentId, startedAt, endedAt, operation, subject, error } = span;
  const context = contextOf(runId, id);
  return {
    name: cutText(parts.scrub(`${operation} ${subject}`.trim()), attributeLength),
    kind: operation === 'chat' ? parts.kinds.client : parts.kinds.internal,
    spanContext: () => context,
    ...(parentId !== null && { parentSpanContext: contextOf(runId, parentId) }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(endedAt - startedAt),
    status: error === undefined ? { code: parts.codes.unset } : { code: parts.codes.error, message: error },
    attributes: attributesOf(span, parts),
    links: [],
    events: [],
    ended: true,
    resource: parts.resource,
    instrumentationScope: { name: 'drawbridge.agent' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};
