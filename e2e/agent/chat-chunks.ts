import { callsOf, piecesOf, textsOf, type Chunks, type Turn } from './model-turn.ts';

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

const chunk = (delta: unknown, finishReason: string | null = null) =>
  frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });

function* partsOf(turn: Turn): Generator<string> {
  yield chunk({ role: 'assistant', content: '' });
  if (turn.reasoning !== undefined) yield chunk({ reasoning_content: turn.reasoning });
  for (const text of textsOf(turn)) yield chunk({ content: text });
  for (const [index, { id, name, text }] of callsOf(turn).entries()) {
    yield chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of piecesOf(text))
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
}

const usageOf = ({ usage = { input: 10, output: 5 } }: Turn) =>
  usage === null
    ? []
    : [
        frame({
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'scripted',
          choices: [],
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
          },
        }),
      ];

/** A turn in the stream of OpenAI's chat completions. */
export const chatChunks = (turn: Turn): Chunks => ({
  parts: partsOf(turn),
  end: [
    chunk({}, turn.finishReason ?? (turn.calls === undefined ? 'stop' : 'tool_calls')),
    ...usageOf(turn),
    'data: [DONE]\n\n',
  ],
});
