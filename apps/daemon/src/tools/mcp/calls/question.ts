import { inputRequiredMeta, type ClientInput } from '@drawbridge/contracts/client-input';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { visible, visibleLines } from '@drawbridge/kit';
import {
  ElicitRequestParamsSchema,
  ElicitResultSchema,
  ErrorCode,
  McpError,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { textResult } from '../../common/result.ts';
import { isWithinDepth } from '../offered-tools.ts';

/** What a question may hold; a bigger one is refused with an error to the server. */
const questionLimits = {
  characters: 2_000,
  fields: 32,
  bytes: 20 * 1024,
  urlCharacters: 2_048,
} as const;

/** Of a form: a schema, its fields, their choices. */
const shape = { depth: 8, nodes: 2_000 };

const isSmall = (params: object, { properties = {} }: { properties?: object | undefined } = {}): boolean =>
  isWithinDepth(params, shape) &&
  Buffer.byteLength(JSON.stringify(params)) <= questionLimits.bytes &&
  Object.keys(properties).length <= questionLimits.fields;

/** `elicitation/create`, bounded before it is parsed: an error about a big one would be far bigger. */
export const questionRequest = z.object({
  method: z.literal('elicitation/create'),
  params: z
    .looseObject({
      requestedSchema: z.looseObject({ properties: z.looseObject({}).optional() }).optional(),
    })
    .refine(
      (params) => isSmall(params, params.requestedSchema),
      `The question is too big: ${questionLimits.bytes / 1024} KiB and ${questionLimits.fields} fields at most`,
    ),
});
export type QuestionRequest = z.infer<typeof questionRequest>;

export const answerMs = 5 * 60_000;

export interface Question {
  /** The server's own words, with all that is hidden made visible. */
  message: string;
  params:
    | { mode: 'form'; message: string; requestedSchema: Record<string, unknown> }
    | { mode: 'url'; message: string; url: string };
}

const questionName = 'question';

const refused = (why: string) => new McpError(ErrorCode.InvalidParams, `The question has ${why}`);

const readUrl = (text: string): string => {
  if (text.length > questionLimits.urlCharacters)
    throw refused(`an address of more than ${questionLimits.urlCharacters} characters`);
  const { protocol, username, password, href } = new URL(text);
  if (!['http:', 'https:'].includes(protocol) || username + password !== '')
    throw refused('an address that is not a plain one of http or https');
  return href;
};

/** Parses the question of server `name`. Throws for invalid ones, and `McpError` beyond the limits. */
export const readQuestion = (name: string, params: QuestionRequest['params']): Question => {
  const read = ElicitRequestParamsSchema.parse(params);
  if (read.message.length > questionLimits.characters)
    throw refused(`more than ${questionLimits.characters} characters`);
  // The reader learns that these are not the words of Drawbridge.
  const message = `The MCP server ${name} asks: ${visibleLines(read.message)}`;
  const own = visible(read.message);
  return read.mode === 'url'
    ? { message: own, params: { mode: 'url', message, url: readUrl(read.url) } }
    : { message: own, params: { mode: 'form', message, requestedSchema: read.requestedSchema } };
};

export const canBeAsked = (input: ClientInput | undefined, { params: { mode } }: Question): boolean =>
  mode === 'url' ? input?.showsPages === true : input?.methods.includes('elicitation/create') === true;

/** A call's result for now: its client is asked, and the call goes on with `requestState`. */
export const askingResult = (name: string, question: Question, requestState: string): ToolResult => ({
  ...textResult(
    `The MCP server ${name} asks the program that made this call, and waits ${answerMs / 60_000} min for its answer: ${question.message}`,
  ),
  _meta: {
    [inputRequiredMeta]: {
      inputRequests: { [questionName]: { method: 'elicitation/create', params: question.params } },
      requestState,
    },
    'drawbridge/started': true,
  },
});

/** What the client answered; undefined where that is no answer. */
export const readAnswer = ({ responses }: ClientInput): ElicitResult | undefined => {
  const answer = ElicitResultSchema.safeParse(responses?.[questionName]).data;
  if (answer === undefined) return undefined;
  const { action, content } = answer;
  return action === 'accept' && content !== undefined ? { action, content } : { action };
};

export const noAnswer: ElicitResult = { action: 'cancel' };
