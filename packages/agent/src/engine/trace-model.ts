import type { Clock } from '@drawbridge/kit';
import type { NewId } from '../ports/bus.ts';
import { ModelError, type ModelPart, type ModelPort, type ModelRequest } from '../ports/model.ts';
import type { Tracer, TraceSpan } from '../ports/tracing.ts';

/** Traces nothing. */
export const noTracer: Tracer = { traceId: () => null, record: () => {} };

interface Needs {
  tracer: Tracer;
  clock: Clock;
  newId: NewId;
}

/** What the tracer keeps of one answer. */
const createAnswer = () => {
  let text = '';
  let reasoning = '';
  const calls: string[] = [];
  let finish: Extract<ModelPart, { type: 'finish' }> | null = null;
  return {
    add: (part: ModelPart) => {
      if (part.type === 'text') text += part.text;
      if (part.type === 'reasoning') reasoning += part.text;
      if (part.type === 'tool-call') calls.push(`${part.tool}(${part.arguments})`);
      if (part.type === 'finish') finish = part;
    },
    content: () => ({
      'gen_ai.output.messages': [text, ...calls].filter(Boolean).join('\n'),
      ...(reasoning !== '' && { 'drawbridge.reasoning': reasoning }),
    }),
    attributes: (): TraceSpan['attributes'] => {
      if (finish === null) return {};
      const { reason, usage } = finish;
      return {
        'gen_ai.response.finish_reasons': [reason],
        ...(usage && {
          'gen_ai.usage.input_tokens': usage.inputTokens,
          'gen_ai.usage.output_tokens': usage.outputTokens,
          'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
        }),
      };
    },
  };
};

/** The newest message of a request, without pictures. */
const newestOf = ({ messages }: ModelRequest): string => {
  const last = messages.at(-1);
  if (last === undefined) return '';
  const parts = last.role === 'tool' ? last.results.flatMap((result) => result.parts) : last.parts;
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
};

/** The model, with a span for each call of an agent, those that failed included. */
export const tracedModel = (model: ModelPort, { tracer, clock, newId }: Needs): ModelPort => ({
  ...model,
  stream: async function* (request, signal) {
    const { trace, use } = request;
    if (trace === undefined) return yield* model.stream(request, signal);
    const info = await model.info(use);
    const startedAt = clock.now();
    const answer = createAnswer();
    let error: string | undefined;
    try {
      for await (const part of model.stream(request, signal)) {
        answer.add(part);
        yield part;
      }
    } catch (thrown) {
      error = thrown instanceof ModelError ? thrown.kind : 'other';
      throw thrown;
    } finally {
      tracer.record({
        ...trace,
        operation: 'chat',
        subject: info?.id ?? '',
        id: newId('chat_'),
        startedAt,
        endedAt: clock.now(),
        attributes: {
          ...trace.attributes,
          ...(info && { 'gen_ai.request.model': info.id, 'gen_ai.provider.name': info.provider }),
          ...answer.attributes(),
        },
        content: () => ({
          'gen_ai.input.messages': newestOf(request),
          ...answer.content(),
        }),
        ...(error !== undefined && { error }),
      });
    }
  },
});
