import { randomUUID } from 'node:crypto';
import { callsOf, piecesOf, textsOf, type Chunks, type Turn } from './model-turn.ts';

const frame = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const usageOf = ({ usage }: Turn) => usage ?? { input: 10, output: 5 };

function* block(index: number, content: unknown, deltas: unknown[]): Generator<string> {
  yield frame({ type: 'content_block_start', index, content_block: content });
  for (const delta of deltas) yield frame({ type: 'content_block_delta', index, delta });
  yield frame({ type: 'content_block_stop', index });
}

function* partsOf(turn: Turn): Generator<string> {
  const { input, cached = 0 } = usageOf(turn);
  yield frame({
    type: 'message_start',
    message: {
      // Clients join what has the same id.
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 1 },
    },
  });
  let index = 0;
  if (turn.reasoning !== undefined)
    yield* block(index++, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: turn.reasoning },
      { type: 'signature_delta', signature: 'signature-of-the-model' },
    ]);
  const texts = textsOf(turn).map((text) => ({ type: 'text_delta', text }));
  if (texts.length > 0) yield* block(index++, { type: 'text', text: '' }, texts);
  for (const { id, name, text } of callsOf(turn)) {
    const pieces = piecesOf(text).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    yield* block(index++, { type: 'tool_use', id: `toolu_${id}`, name, input: {} }, pieces);
  }
}

/** A turn in the stream of Anthropic's messages. */
export const messagesChunks = (turn: Turn): Chunks => ({
  parts: partsOf(turn),
  end: [
    frame({
      type: 'message_delta',
      delta: {
        stop_reason: turn.finishReason ?? (turn.calls === undefined ? 'end_turn' : 'tool_use'),
        stop_sequence: null,
      },
      usage: { output_tokens: usageOf(turn).output },
    }),
    frame({ type: 'message_stop' }),
  ],
});
