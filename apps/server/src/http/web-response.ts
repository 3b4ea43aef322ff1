import type { FastifyReply } from 'fastify';

/** Up to this, an answer goes out as a text together with its head: one write instead of two. */
const smallBytes = 16 * 1024;

/**
 * The bytes as the answer holds them: a text of a mebibyte would be decoded here and encoded once more
 * behind.
 */
const bytesOf = async ({ body }: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [only, second] = chunks;
  return only === undefined || second
    ? Buffer.concat(chunks)
    : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
};

/** Sends a web `Response`: a stream as it arrives, JSON in one write. */
export const sendResponse = async (reply: FastifyReply, response: Response): Promise<FastifyReply> => {
  const { headers, status } = response;
  const isWhole = headers.get('content-type') === 'application/json' && !headers.has('transfer-encoding');
  if (!isWhole) return reply.send(response);
  for (const [name, value] of headers) reply.header(name, value);
  const bytes = await bytesOf(response);
  return reply.code(status).send(bytes.length > smallBytes ? bytes : bytes.toString());
};
