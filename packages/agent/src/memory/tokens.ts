import { cutText } from '@drawbridge/kit';
import type { PromptMessage, PromptPart, ToolSpec } from '../ports/model.ts';

/** Bytes of UTF-8 for each token: 77 to 130 % of a tokenizer's count on prose, code, YAML and Chinese. */
const bytesPerToken = 3.5;
/** A picture costs about this much at every provider, whatever its bytes. */
export const pictureTokens = 1_600;

const encoder = new TextEncoder();

export const estimateTokens = (text: string): number =>
  Math.ceil(encoder.encode(text).length / bytesPerToken);

/** The beginning of a text, of about that many tokens at most. */
export const cutToTokens = (text: string, tokens: number): string => {
  const estimate = estimateTokens(text);
  return estimate <= tokens ? text : cutText(text, Math.floor((text.length * tokens) / estimate));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const partsTokens = (parts: readonly PromptPart[]): number =>
  sum(parts.map((part) => (part.type === 'text' ? estimateTokens(part.text) : pictureTokens)));

const messageTokens = (message: PromptMessage): number => {
  switch (message.role) {
    case 'user':
      return partsTokens(message.parts);
    case 'assistant':
      return sum(
        message.parts.map((part) =>
          estimateTokens(part.type === 'tool-call' ? part.tool + part.arguments : part.text),
        ),
      );
    case 'tool':
      return sum(message.results.map(({ parts }) => partsTokens(parts)));
    default:
      return message satisfies never;
  }
};

export const messagesTokens = (messages: readonly PromptMessage[]): number =>
  sum(messages.map(messageTokens));

const schemas = new WeakMap<ToolSpec['inputSchema'], number>();

/** Counted once of each schema: most tools are the same in each step. */
const schemaTokens = (schema: ToolSpec['inputSchema']): number => {
  const tokens = schemas.get(schema) ?? estimateTokens(JSON.stringify(schema));
  schemas.set(schema, tokens);
  return tokens;
};

/** What stands in each request before the messages. */
export const fixedTokens = (system: readonly string[], tools: readonly ToolSpec[]): number =>
  sum(system.map(estimateTokens)) +
  sum(
    tools.map(
      ({ name, description, inputSchema }) => estimateTokens(name + description) + schemaTokens(inputSchema),
    ),
  );
