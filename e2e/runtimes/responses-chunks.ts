import { callsOf, textsOf, type Chunks, type Turn } from '../agent/model-turn.ts';

const frame = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const message = (text: string) => ({
  ...{ type: 'message', id: 'm', role: 'assistant' },
  content: [{ type: 'output_text', text }],
});

/** A patch is given to its tool as it is. */
const call = ({ id, name, text }: ReturnType<typeof callsOf>[number]) =>
  name === 'apply_patch'
    ? { type: 'custom_tool_call', id: `f${id}`, call_id: id, name, input: text }
    : { type: 'function_call', id: `f${id}`, call_id: id, name, arguments: text };

function* partsOf(turn: Turn): Generator<string> {
  yield frame({ type: 'response.created', response: { id: 'r' } });
  for (const text of textsOf(turn)) {
    yield frame({ type: 'response.output_item.added', output_index: 0, item: message('') });
    const at = { item_id: 'm', output_index: 0, content_index: 0 };
    yield frame({ type: 'response.output_text.delta', ...at, delta: text });
    yield frame({ type: 'response.output_item.done', output_index: 0, item: message(text) });
  }
  for (const one of callsOf(turn))
    yield frame({ type: 'response.output_item.done', output_index: 0, item: call(one) });
}

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

/** A turn in the stream of OpenAI's responses. */
export const responsesChunks = (turn: Turn): Chunks => ({
  parts: partsOf(turn),
  end: [frame({ type: 'response.completed', response: { id: 'r', usage } })],
});
