import type { ModelErrorKind, ModelPart, ModelPort, ModelRequest } from '@drawbridge/agent';
import { ModelError } from '@drawbridge/agent';
import type { CheckLine } from '@drawbridge/contracts/agent/settings';
import type { Clock } from '@drawbridge/kit';

/** A red square of 64 pixels. */
const redSquare =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC';

/** One request of the test may take this long. */
const limitMs = 60_000;

const names = ['reached', 'streams', 'calls a tool', 'counts tokens', 'sees a picture'] as const;
type Name = (typeof names)[number];

const ok = (name: Name, text: string): CheckLine => ({ name, state: 'ok', text });
const failed = (name: Name, text: string): CheckLine => ({ name, state: 'failed', text });
const skipped = (name: Name): CheckLine => ({ name, state: 'skipped', text: 'Not tested.' });

const fixes: Record<ModelErrorKind, string> = {
  key: 'Check the key, and the credit of its account.',
  model: 'Check the name of the model and the URL.',
  rate: 'Wait, or choose a plan with higher limits.',
  overloaded: 'Try again later.',
  context: 'Choose a model with a longer context.',
  request: 'Check the URL and the name of the model.',
  network: 'Check the URL, and that the server runs.',
  silent: 'Check that the server is not overloaded.',
  cut: 'Check that the URL leads to an API that streams, and that no proxy ends the connection.',
  'too-large': 'Choose another model.',
  'too-many-calls': 'Choose another model.',
  aborted: 'It did not answer within 60 seconds. Check that the server is not overloaded.',
};

/** With these the server has answered. */
const hasAnswered: readonly ModelErrorKind[] = ['cut', 'too-large', 'too-many-calls'];

interface Answer {
  text: string;
  calls: string[];
  finish: Extract<ModelPart, { type: 'finish' }> | null;
  error: ModelError | null;
}

const requestOf = (messages: ModelRequest['messages'], tools: ModelRequest['tools'] = []): ModelRequest => ({
  use: 'main',
  system: ['This is a test. Answer in one word.'],
  messages,
  tools,
});

const say = (text: string): ModelRequest['messages'][number] => ({
  role: 'user',
  parts: [{ type: 'text', text }],
});

const words = requestOf([say('Answer with the word: ready')]);
const tool = requestOf(
  [say('Call the tool report_number with the number 7.')],
  [
    {
      name: 'report_number',
      description: 'Reports a number.',
      inputSchema: {
        type: 'object',
        properties: { number: { type: 'number' } },
        required: ['number'],
        additionalProperties: false,
      },
    },
  ],
);
const picture = requestOf([
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Which color is this square?' },
      { type: 'image', data: redSquare, mediaType: 'image/png' },
    ],
  },
]);

const read = async (parts: AsyncIterable<ModelPart>, answer: Answer) => {
  for await (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') answer.text += part.text;
    if (part.type === 'tool-call') answer.calls.push(part.tool);
    if (part.type === 'finish') answer.finish = part;
  }
};

/** Asks once; a failure is part of the answer. */
const ask = async (models: ModelPort, clock: Clock, request: ModelRequest): Promise<Answer> => {
  const answer: Answer = { text: '', calls: [], finish: null, error: null };
  const abort = new AbortController();
  const cancel = clock.after(limitMs, () => abort.abort());
  try {
    await read(models.stream(request, abort.signal), answer);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    answer.error = error;
  } finally {
    cancel();
  }
  return answer;
};

const sentence = ({ kind, message }: ModelError) => `${message} ${fixes[kind]}`;

const streamLine = ({ error, text }: Answer): CheckLine => {
  if (error !== null) return failed('streams', sentence(error));
  if (text === '') return failed('streams', 'The answer of the model was empty. Choose another model.');
  return ok('streams', 'The answer came as a stream.');
};

const toolLine = ({ error, calls }: Answer): CheckLine => {
  const advice = 'The agent works with tools: choose a model that calls them.';
  if (error !== null) return failed('calls a tool', `${error.message} ${advice}`);
  if (!calls.includes('report_number'))
    return failed('calls a tool', `The model did not call the tool that it was asked to call. ${advice}`);
  return ok('calls a tool', 'The model called the tool that it was asked to call.');
};

const usageLine = ({ finish }: Answer): CheckLine => {
  const usage = finish?.usage ?? null;
  if (usage === null)
    return failed('counts tokens', 'The provider counts no tokens. Usage and costs will be estimated.');
  return ok('counts tokens', `${usage.inputTokens} tokens in, ${usage.outputTokens} out.`);
};

const pictureLine = ({ error, text }: Answer): CheckLine => {
  const advice = 'Without pictures the agent cannot read screenshots.';
  if (error !== null) return failed('sees a picture', `${error.message} ${advice}`);
  if (!/\bred\b/i.test(text))
    return failed('sees a picture', `The model did not recognize a red square. ${advice}`);
  return ok('sees a picture', 'The model recognized a red square.');
};

const notChosen =
  'No model is chosen. Choose anthropic/…, openai/… or google/…, or the name of a model together with its URL.';

/** Tests the chosen model with three short requests. Five lines: a failed one says what to do. */
export const verifyModel = async (models: ModelPort, clock: Clock): Promise<CheckLine[]> => {
  const info = await models.info('main');
  if (info === null) return [failed('reached', notChosen), ...names.slice(1).map(skipped)];
  const first = await ask(models, clock, words);
  if (first.error !== null && !hasAnswered.includes(first.error.kind))
    return [failed('reached', sentence(first.error)), ...names.slice(1).map(skipped)];
  const reached = ok('reached', `${info.id} answers.`);
  if (first.error !== null) return [reached, streamLine(first), ...names.slice(2).map(skipped)];
  return [
    reached,
    streamLine(first),
    toolLine(await ask(models, clock, tool)),
    usageLine(first),
    pictureLine(await ask(models, clock, picture)),
  ];
};
