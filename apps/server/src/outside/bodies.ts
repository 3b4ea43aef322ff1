type Body = AsyncIterable<Uint8Array> | null | undefined;

/** Passes a body on. Throws a `RangeError` when it is longer than `maxBytes`; leaving it cancels the body. */
export const limited = async function* (body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new RangeError(`longer than ${maxBytes} bytes`);
    yield chunk;
  }
};

/** Reads a body to its end. Throws a `RangeError` when it is longer than `maxBytes`. */
export const readLimited = async (body: Body, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limited(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
};
