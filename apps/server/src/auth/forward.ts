import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { requestHeaders } from '../http/index.ts';
import type { Auth } from './better-auth.ts';

/** What better-auth is not to read of a request: it comes with another body, and was checked by us. */
const dropped = ['content-length', 'content-type', 'dpop', 'origin'];

export const jsonBody = (body: object) => ({ type: 'application/json', text: JSON.stringify(body) });

/** Sends a request on to better-auth, to an address of its own and with a body that was read here. */
export const forward = async (
  auth: Auth,
  request: FastifyRequest,
  { to, body }: { to: URL; body?: { type: string; text: string } },
): Promise<Response> => {
  const headers = requestHeaders(request);
  for (const name of dropped) headers.delete(name);
  if (body) headers.set('content-type', body.type);
  return auth.handler(new Request(to, { method: request.method, headers, ...(body && { body: body.text }) }));
};

/** Answers as better-auth did; throws `internal` where it failed. */
export const answerAs = (reply: FastifyReply, response: Response): FastifyReply => {
  if (response.status >= 500) throw errors.internal();
  return reply.header('cache-control', 'no-store').send(response);
};
