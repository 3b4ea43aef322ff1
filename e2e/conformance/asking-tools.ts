import {
  asksClientAnnotation,
  clientInput,
  inputArgument,
  inputRequiredMeta,
  type ClientInput,
  type InputRequired,
} from '@drawbridge/contracts/client-input';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { z } from 'zod';
import type { SuiteTool } from './suite-tool.ts';

type Requests = InputRequired['inputRequests'];
type Schema = Record<string, unknown>;

export const text = (said: string): ToolResult => ({ content: [{ type: 'text', text: said }] });

/** A result that asks the client. */
const ask = (inputRequests: Requests, requestState?: string): ToolResult => ({
  ...text('This tool needs an answer of its client.'),
  _meta: {
    [inputRequiredMeta]: { inputRequests, ...(requestState !== undefined && { requestState }) },
  },
});

const objectSchema = (properties: Record<string, Schema>, required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
});

const elicit = (message: string, requestedSchema: Schema): Requests[string] => ({
  method: 'elicitation/create',
  params: { message, requestedSchema },
});
const elicitField = (message: string, name: string, type = 'string') =>
  elicit(message, objectSchema({ [name]: { type } }, [name]));
const sample = (prompt: string): Requests[string] => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
});
const roots: Requests[string] = { method: 'roots/list', params: {} };

interface Asked {
  arguments: Record<string, unknown>;
  input: ClientInput;
  /** The client's answer of that name, where it has the shape; otherwise undefined. */
  answer<Answer>(name: string, shape: z.ZodType<Answer>): Answer | undefined;
}

const asking = (name: string, run: (asked: Asked) => ToolResult, properties: Schema = {}): SuiteTool => ({
  tool: {
    name,
    description: 'Asks the client of its caller.',
    inputSchema: { type: 'object', properties },
    annotations: { [asksClientAnnotation]: true },
  },
  run: ({ arguments: given }) => {
    const { [inputArgument]: carried, ...own } = given;
    const input = clientInput.parse(carried ?? { methods: [] });
    return run({
      arguments: own,
      input,
      answer: (answerName, shape) => shape.safeParse(input.responses?.[answerName]).data,
    });
  },
});

/** Asks once, under one name, and returns the answer. */
const askingOnce = (
  name: string,
  key: string,
  request: (given: Record<string, unknown>) => Requests[string],
) =>
  asking(
    name,
    ({ arguments: given, answer }) => {
      const answered = answer(key, z.looseObject({}));
      return answered ? text(`Answered: ${JSON.stringify(answered)}`) : ask({ [key]: request(given) });
    },
    { prompt: { type: 'string' }, message: { type: 'string' } },
  );

const accepted = <Content extends z.ZodType>(content: Content) =>
  z.object({ action: z.literal('accept'), content });
const named = accepted(z.object({ name: z.string() }));

const enums = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
};

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const person = objectSchema({ username: { type: 'string' }, email: { type: 'string' } }, [
  'username',
  'email',
]);

/** Asks with a state, and wants both back. */
const askingWithState = (name: string) =>
  asking(name, ({ input, answer }) => {
    const confirmed = answer('confirm', accepted(z.object({ ok: z.boolean() })));
    if (!confirmed) return ask({ confirm: elicitField('Please confirm', 'ok', 'boolean') }, 'first');
    return input.requestState === 'first' ? text('state-ok') : { ...text('No such state'), isError: true };
  });

const severalInputs = asking('test_input_required_result_multiple_inputs', ({ answer }) => {
  const all = [
    answer('user_name', named),
    answer('greeting', z.looseObject({})),
    answer('client_roots', z.looseObject({})),
  ];
  if (all.every((one) => one !== undefined)) return text('Answered whole');
  const requests = {
    user_name: elicitField('What is your name?', 'name'),
    greeting: sample('Generate a greeting'),
    client_roots: roots,
  };
  return ask(requests, 'several');
});

const severalRounds = asking('test_input_required_result_multi_round', ({ input, answer }) => {
  if (input.requestState === 'step 2' && answer('step2', accepted(z.object({ color: z.string() }))))
    return text('Done');
  if (input.requestState === 'step 1' && answer('step1', named))
    return ask({ step2: elicitField('Step 2: What is your favorite color?', 'color') }, 'step 2');
  return ask({ step1: elicitField('Step 1: What is your name?', 'name') }, 'step 1');
});

/** Asks only for what the client can do. */
const withinCapabilities = asking('test_input_required_result_capabilities', ({ input }) => {
  const all = { name: elicitField('What is your name?', 'name'), greeting: sample('Generate a greeting') };
  return ask(
    Object.fromEntries(Object.entries(all).filter(([, { method }]) => input.methods.includes(method))),
  );
});

export const askingTools: readonly SuiteTool[] = [
  asking('test_input_required_result_elicitation', ({ answer }) => {
    const answered = answer('user_name', named);
    return answered
      ? text(`Hello, ${answered.content.name}!`)
      : ask({ user_name: elicitField('What is your name?', 'name') });
  }),
  askingOnce('test_input_required_result_sampling', 'capital_question', () =>
    sample('What is the capital of France?'),
  ),
  askingOnce('test_input_required_result_list_roots', 'client_roots', () => roots),
  askingWithState('test_input_required_result_request_state'),
  askingWithState('test_input_required_result_tampered_state'),
  severalInputs,
  severalRounds,
  withinCapabilities,
  askingOnce('test_missing_capability', 'answer', () => sample('Anything')),
  askingOnce('test_streaming_elicitation', 'user_name', () => elicitField('What is your name?', 'name')),
  askingOnce('test_sampling', 'answer', ({ prompt }) => sample(String(prompt))),
  askingOnce('test_elicitation', 'answer', ({ message }) => elicit(String(message), person)),
  askingOnce('test_elicitation_sep1034_defaults', 'answer', () =>
    elicit('Who are you?', objectSchema(defaults, [])),
  ),
  askingOnce('test_elicitation_sep1330_enums', 'answer', () => elicit('Choose', objectSchema(enums, []))),
];
