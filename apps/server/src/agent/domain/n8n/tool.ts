import type { DomainResult, DomainTool } from '@drawbridge/agent';
import { invalidInput } from '@drawbridge/contracts/input/invalid-input';
import { cutText } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import { z } from 'zod';
import { N8nError, type N8nApi } from './client.ts';
import type { Endpoints } from './endpoints.ts';

const maxTextLength = 40_000;
export const secretMask = '[secret left out]';

export const objectId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const secretName = /pass(word|wd|phrase)|secret|token|api[-_]?key|authorization|cookie|private[-_]?key/i;

/** Headers and parameters of nodes are pairs of a name and a value. */
const named = z.looseObject({ name: z.string().regex(secretName), value: z.string() });

/** JSON for the model: the values of fields that are named like secrets, and known keys, are left out. */
export const asText = (value: unknown, api: Pick<N8nApi, 'key'>): string => {
  const json = JSON.stringify(value, (name, inner: unknown) => {
    if (typeof inner !== 'string') {
      const pair = named.safeParse(inner);
      return pair.success ? { ...pair.data, value: secretMask } : inner;
    }
    return inner !== '' && secretName.test(name) ? secretMask : withoutKeys(inner, secretMask);
  });
  const text = (json ?? 'null').replaceAll(api.key, secretMask);
  if (text.length <= maxTextLength) return text;
  return `${cutText(text, maxTextLength - 100)}\n[cut: ${text.length} characters in all]`;
};

/** What a tool needs of one call. */
export interface N8nCall {
  api: N8nApi;
  endpoints: Endpoints;
  signal: AbortSignal;
}

interface Described<Input extends z.ZodObject> {
  /** Without the prefix. */
  name: string;
  description: string;
  input: Input;
  effect: DomainTool['effect'];
  /** The tool exists when n8n offers one of them; null: without an endpoint. */
  endpoints: readonly string[] | null;
  describe(args: z.output<Input>): string;
  run(args: z.output<Input>, call: N8nCall): Promise<DomainResult>;
}

/** It distinguishes the tools from those of other products. */
export const namePrefix = 'n8n_';

export interface N8nTool {
  /** Without the prefix. */
  name: string;
  isOffered(endpoints: Endpoints): boolean;
  bind(open: (signal: AbortSignal, userId: string) => Promise<N8nCall>): DomainTool;
}

const read = <Input extends z.ZodObject>(input: Input, args: Record<string, unknown>): z.output<Input> => {
  const parsed = input.safeParse(args);
  if (!parsed.success) throw new N8nError(`The arguments are not valid: ${invalidInput(parsed.error)}`);
  return parsed.data;
};

/** A tool from its zod schema; its arguments are checked before `describe` and `run` see them. */
export const defineTool = <Input extends z.ZodObject>(given: Described<Input>): N8nTool => ({
  name: given.name,
  isOffered: (offered) => given.endpoints?.some((endpoint) => offered.has(endpoint)) ?? true,
  bind: (open) => ({
    name: namePrefix + given.name,
    description: given.description,
    inputSchema: z.toJSONSchema(given.input, { target: 'draft-7', io: 'input' }),
    effect: given.effect,
    describe: (args) => given.describe(read(given.input, args)),
    run: async (args, { signal, userId }) => {
      const input = read(given.input, args);
      const call = await open(signal, userId);
      return given.run(input, call).catch((error: unknown) => {
        throw error instanceof z.ZodError ? new N8nError('n8n gave an answer that cannot be read.') : error;
      });
    },
  }),
});
