import { callsOf, textsOf, type Chunks, type Turn } from '../agent/model-turn.ts';

const frame = (parts: object[], more: object = {}) =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] })}\r\n\r\n`;

function* partsOf(turn: Turn): Generator<string> {
  for (const text of textsOf(turn)) yield frame([{ text }]);
  for (const { id, name, text } of callsOf(turn))
    yield frame([{ functionCall: { id, name, args: JSON.parse(text) as unknown } }]);
}

/** A turn in the stream of Gemini's `streamGenerateContent`. */
export const geminiChunks = (turn: Turn): Chunks => ({
  parts: partsOf(turn),
  end: [frame([{ text: '' }], { finishReason: 'STOP' })],
});
