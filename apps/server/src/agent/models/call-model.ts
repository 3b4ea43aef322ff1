import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { ModelError, type ModelPart, type ModelRequest } from '@drawbridge/agent';
import type { Usage } from '@drawbridge/contracts/agent/events';
import type { Clock } from '@drawbridge/kit';
import { createCallLimits, type CallLimits } from './call-limits.ts';
import type { ModelChoice } from './choice.ts';
import { toModelError } from './model-error.ts';
import { observe } from './own-fetch.ts';
import { openModel, optionsOf } from './providers.ts';
import type { Recorder } from './record.ts';
import { toPrompt } from './to-prompt.ts';

const count = (tokens: number | undefined) =>
  tokens !== undefined && Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;

const usageOf = ({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | null =>
  inputTokens.total === undefined && outputTokens.total === undefined
    ? null
    : {
        inputTokens: count(inputTokens.total),
        outputTokens: count(outputTokens.total),
        cachedTokens: count(inputTokens.cacheRead),
      };

const reasonOf = ({ unified }: LanguageModelV3FinishReason) => {
  if (unified === 'content-filter') return 'filter';
  return unified === 'error' ? 'other' : unified;
};

/** Numbers the calls of a step: a provider's ids may be missing, or come twice. */
const createCallNumbers = () => {
  const open: { id: string; index: number }[] = [];
  let next = 0;
  return {
    start: (id: string) => {
      open.push({ id, index: next });
      return next++;
    },
    /** The number of the call that has begun with this id; undefined where none has. */
    take: (id: string) => {
      const at = open.findIndex((call) => call.id === id);
      return at < 0 ? undefined : open.splice(at, 1)[0]?.index;
    },
    skip: () => next++,
  };
};

const createReader = (limits: CallLimits) => {
  const numbers = createCallNumbers();

  const reasoning = (
    part: Extract<LanguageModelV3StreamPart, { id: string; type: `reasoning-${string}` }>,
  ) => {
    const text = part.type === 'reasoning-delta' ? part.delta : '';
    limits.output(text);
    const metadata = part.providerMetadata;
    if (text === '' && metadata === undefined) return null;
    return { type: 'reasoning', id: part.id, text, ...(metadata && { metadata }) } as const;
  };

  const toolCall = ({
    toolCallId,
    toolName,
    input,
  }: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>) => {
    const started = numbers.take(toolCallId);
    if (started === undefined) limits.call();
    limits.output(started === undefined ? input : '');
    return {
      type: 'tool-call',
      index: started ?? numbers.skip(),
      tool: toolName,
      arguments: input,
    } as const;
  };

  /** A part of ours for a part of the provider; null for one that says nothing. */
  return (part: LanguageModelV3StreamPart): ModelPart | null => {
    switch (part.type) {
      case 'text-delta':
        limits.output(part.delta);
        return part.delta === '' ? null : { type: 'text', text: part.delta };
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return reasoning(part);
      case 'tool-input-start':
        limits.call();
        return { type: 'tool-start', index: numbers.start(part.id), tool: part.toolName };
      case 'tool-input-delta':
        limits.output(part.delta);
        return null;
      case 'tool-call':
        return toolCall(part);
      case 'finish':
        return { type: 'finish', reason: reasonOf(part.finishReason), usage: usageOf(part.usage) };
      case 'error':
        throw part.error;
      default:
        limits.output('');
        return null;
    }
  };
};

const callOptions = (request: ModelRequest, choice: ModelChoice): LanguageModelV3CallOptions => ({
  prompt: toPrompt(request, choice.provider),
  ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
  ...(request.tools.length > 0 && { tools: request.tools.map((tool) => ({ type: 'function', ...tool })) }),
  providerOptions: optionsOf(choice.provider),
});

/** One call of a model, never tried again. Throws `ModelError`, and closes the connection however it ends. */
export async function* callModel(
  { choice, clock, recorder }: { choice: ModelChoice; clock: Clock; recorder?: Recorder | undefined },
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const limits = createCallLimits(clock, signal);
  const read = createReader(limits);
  const exchange = recorder?.begin();
  let isOpen = false;
  let isFinished = false;
  try {
    limits.signal.throwIfAborted();
    observe(limits.signal, {
      answered: (head) => exchange?.answered(head),
      bytes: (piece) => {
        limits.bytes(piece.length);
        exchange?.bytes(piece);
      },
    });
    const model = await openModel(choice);
    const { stream } = await model.doStream({
      ...callOptions(request, choice),
      abortSignal: limits.signal,
    });
    isOpen = true;
    for await (const part of stream) {
      const ours = read(part);
      limits.signal.throwIfAborted();
      if (ours === null) continue;
      isFinished = ours.type === 'finish';
      yield ours;
    }
    if (!isFinished) throw new ModelError('cut', 'The answer of the model broke off.');
  } catch (error) {
    throw limits.broken() ?? toModelError(error, { choice, now: clock.now(), isOpen });
  } finally {
    limits.end();
    exchange?.end();
  }
}
