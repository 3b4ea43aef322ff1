import type { FastifyReply, FastifyRequest } from 'fastify';

const headerOf = ({ headers }: FastifyRequest, name: string): string | null => {
  const value = headers[name.toLowerCase()];
  return value === undefined ? null : String(value);
};

/**
 * As much of a `Request` as tRPC reads, whose signal aborts when the client leaves before its answer has ended. To make
 * a whole one, with a body to stream, takes as long as all the rest that tRPC does for a call.
 */
export const toRequest = (request: FastifyRequest, reply: FastifyReply): Request => {
  const leaving = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) leaving.abort();
  });
  const { url, method, body } = request;
  const query = url.indexOf('?');
  const read = {
    method,
    // The path comes beside it; of the address tRPC reads the query alone.
    url: `http://local/${query === -1 ? '' : url.slice(query)}`,
    signal: leaving.signal,
    headers: {
      get: (name: string) => headerOf(request, name),
      has: (name: string) => headerOf(request, name) !== null,
    },
    text: async () => (typeof body === 'string' ? body : ''),
  };
  // What is left out serves bodies that are not JSON, which the door's parser has refused.
  return read as unknown as Request;
};
