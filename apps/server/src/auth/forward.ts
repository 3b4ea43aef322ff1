import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, isDatabaseTrouble } from '../errors.ts';
import { requestHeaders } from '../http/index.ts';
import type { Auth } from './better-auth.ts';
import { withFailure } from './one-context.ts';

/** What better-auth is not to read of a request: it comes with another body, and was checked by us. */
const dropped = ['content-length', 'content-type', 'dpop', 'origin'];

export const jsonBody = (body: object) => ({ type: 'application/json', text: JSON.stringify(body) });

/** Why better-auth answers that it has failed. */
const failures = new WeakMap<Response, unknown>();

/** Sends a request on to better-auth, to an address of its own and with a body that was read here. */
export const forward = async (
  auth: Auth,
  request: FastifyRequest,
  { to, body }: { to: URL; body?: { type: string; text: string } },
): Promise<Response> => {
  const headers = requestHeaders(request);
  for (const name of dropped) headers.delete(name);
  if (body) headers.set('content-type', body.type);
  const asked = new Request(to, { method: request.method, headers, ...(body && { body: body.text }) });
  const { result: response, failure } = await withFailure(() => auth.handler(asked));
  failures.set(response, failure);
  return response;
};

/** Throws `storeUnavailable` or `internal` where better-auth has failed. */
export const requireWorked = (response: Response): void => {
  if (response.status < 500) return;
  const cause = failures.get(response);
  throw isDatabaseTrouble(cause) ? errors.storeUnavailable({ cause }) : errors.internal();
};

/** Answers as better-auth did; throws as `requireWorked`. */
export const answerAs = (reply: FastifyReply, response: Response): FastifyReply => {
  requireWorked(response);
  return reply.header('cache-control', 'no-store').send(response);
};
