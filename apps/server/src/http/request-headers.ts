import type { FastifyRequest } from 'fastify';

/** A request's headers in the web's form, as better-auth takes them. */
export const requestHeaders = (request: FastifyRequest): Headers => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) headers.append(name, item);
    }
  }
  return headers;
};
