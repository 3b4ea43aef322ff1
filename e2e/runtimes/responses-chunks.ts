import { callsOf, textsOf, type Chunks, type Turn } from '../agent/model-turn.ts';

const frame = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function* item(index: number, done: object, between: Iterable<string> = []): Generator<string> {
  yield frame({ type: 'response.output_item.added', output_index: index, item: done });
  yield* between;
  yield frame({ type: 'response.output_item.done', output_index: index, item: done });
}

function* partsOf(turn: Turn): Generator<string> {
  yield frame({ type: 'response.created', response: { id: 'resp_1' } });
  const texts = textsOf(turn);
  if (texts.length > 0) {
    const content = [{ type: 'output_text', text: texts.join('') }];
    const deltas = texts.map((delta) =>
      frame({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta }),
    );
    yield* item(0, { type: 'message', id: 'msg_1', role: 'assistant', content }, deltas);
  }
  for (const [index, { id, name, text }] of callsOf(turn).entries())
    yield* item(index + 1, { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: text });
}

/** A turn in the stream of OpenAI's responses. */
export const responsesChunks = (turn: Turn): Chunks => ({
  parts: partsOf(turn),
  end: [
    frame({
      type: 'response.completed',
      response: { id: 'resp_1', usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
    }),
  ],
});
