import type { Transformer } from 'node:stream/web';

/**
 * The body of an answer, which ends when the signal aborts. The built-in `fetch` of Node 20 does that itself
 * only until its request is collected as garbage.
 */
export const abortableBody = (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | null | undefined,
  transformer?: Transformer<Uint8Array, Uint8Array>,
): ReadableStream<Uint8Array> =>
  signal ? body.pipeThrough(new TransformStream(transformer), { signal }) : body;
