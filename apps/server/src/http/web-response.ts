import type { FastifyReply } from 'fastify';

/** Sends an answer in the web's form: a stream as it comes, JSON at once, which is one write instead of two. */
export const sendResponse = async (reply: FastifyReply, response: Response): Promise<FastifyReply> => {
  const { headers, status } = response;
  const isWhole = headers.get('content-type') === 'application/json' && !headers.has('transfer-encoding');
  if (!isWhole) return reply.send(response);
  for (const [name, value] of headers) reply.header(name, value);
  return reply.code(status).send(await response.text());
};
