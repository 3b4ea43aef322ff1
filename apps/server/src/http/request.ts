import { requestId } from '@drawbridge/contracts/ids';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errors } from '../errors.ts';

const params = z.object({ requestId });

/** The id in a path; one that cannot be any call's is as unknown as another. */
export const requestIdOf = (value: unknown): string => {
  const parsed = params.safeParse(value);
  if (!parsed.success) throw errors.notFound();
  return parsed.data.requestId;
};

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
