import type {
  JSONObject,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { ModelRequest, PromptMessage, PromptPart } from '@drawbridge/agent';
import json from 'secure-json-parse';
import { z } from 'zod';
import type { Provider } from './choice.ts';

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;
type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type ToolResult = Extract<PromptMessage, { role: 'tool' }>['results'][number];

/** These two would send a picture inside a result as base64 text. */
const takesPicturesInResults = (provider: Provider) => provider === 'anthropic' || provider === 'google';

const jsonObject = z.record(z.string(), z.json());
const metadataShape = z.record(z.string(), jsonObject);

const metadataOf = (metadata: unknown): { providerOptions?: SharedV3ProviderMetadata } => {
  const read = metadataShape.safeParse(metadata);
  return read.success ? { providerOptions: read.data } : {};
};

/** Arguments that are no safe JSON object become an empty one: providers refuse the history otherwise. */
const inputOf = (text: string): JSONObject => {
  const read = jsonObject.safeParse(json.safeParse(text));
  return read.success ? read.data : {};
};

const userPart = (part: PromptPart): LanguageModelV3TextPart | LanguageModelV3FilePart =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'file', data: part.data, mediaType: part.mediaType };

const assistantContent = ({ parts }: AssistantMessage, provider: Provider): AssistantContent =>
  parts.flatMap((part): AssistantContent => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ type: 'text', text: part.text }];
      case 'reasoning':
        if (part.provider !== provider) return [];
        return [{ type: 'reasoning', text: part.text, ...metadataOf(part.metadata) }];
      case 'tool-call': {
        const { toolCallId, tool, arguments: text } = part;
        return [{ type: 'tool-call', toolCallId, toolName: tool, input: inputOf(text) }];
      }
    }
  });

const textOf = (parts: PromptPart[]) =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
const picturesOf = (parts: PromptPart[]) => parts.filter((part) => part.type === 'image');

const outputOf = (
  { parts, isError }: ToolResult,
  provider: Provider,
): LanguageModelV3ToolResultPart['output'] => {
  const pictures = picturesOf(parts);
  if (isError) return { type: 'error-text', value: textOf(parts) };
  if (pictures.length === 0) return { type: 'text', value: textOf(parts) };
  if (!takesPicturesInResults(provider))
    return { type: 'text', value: `${textOf(parts)}\n[The picture of this result follows.]`.trim() };
  return {
    type: 'content',
    value: parts.map((part) =>
      part.type === 'text' ? part : { type: 'image-data', data: part.data, mediaType: part.mediaType },
    ),
  };
};

const toolMessages = (results: ToolResult[], provider: Provider): LanguageModelV3Message[] => {
  const content = results.map((result): LanguageModelV3ToolResultPart => ({
    type: 'tool-result',
    toolCallId: result.toolCallId,
    toolName: result.tool,
    output: outputOf(result, provider),
  }));
  const tool: LanguageModelV3Message = { role: 'tool', content };
  if (takesPicturesInResults(provider)) return [tool];
  const pictures = results.flatMap(({ tool: name, parts }) => {
    const shown = picturesOf(parts).map(userPart);
    return shown.length === 0 ? [] : [userPart({ type: 'text', text: `The picture of ${name}:` }), ...shown];
  });
  return pictures.length === 0 ? [tool] : [tool, { role: 'user', content: pictures }];
};

const messagesOf = (message: PromptMessage, provider: Provider): LanguageModelV3Message[] => {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.parts.map(userPart) }];
    case 'assistant': {
      const content = assistantContent(message, provider);
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'tool':
      return toolMessages(message.results, provider);
  }
};

/** Anthropic caches what is before a mark; others cache without one. */
const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** A conversation in the provider's form. Chat templates of small models know one system message only. */
export const toPrompt = ({ system, messages }: ModelRequest, provider: Provider): LanguageModelV3Prompt => {
  const prompt = messages.flatMap((message) => messagesOf(message, provider));
  const last = prompt.at(-1);
  if (provider !== 'anthropic' || last === undefined)
    return system.length === 0 ? prompt : [{ role: 'system', content: system.join('\n\n') }, ...prompt];
  return [
    ...system.map((content, index): LanguageModelV3Message => ({
      role: 'system',
      content,
      ...(index === 0 ? { providerOptions: cacheMark } : {}),
    })),
    ...prompt.slice(0, -1),
    { ...last, providerOptions: cacheMark },
  ];
};
