import { z } from 'zod';
import { N8nError, type N8nApi } from './client.ts';

/** `GET /workflows/{}`: a method and a path without the names of its parameters. */
export type Endpoints = ReadonlySet<string>;

const reply = z.object({
  data: z.object({
    resources: z.record(
      z.string(),
      z.object({ endpoints: z.array(z.object({ method: z.string(), path: z.string() })).catch([]) }),
    ),
  }),
});

/** In each version with a public API; an older one does not say what it offers. */
const published: Endpoints = new Set([
  'GET /workflows',
  'POST /workflows',
  'GET /workflows/{}',
  'PUT /workflows/{}',
  'DELETE /workflows/{}',
  'POST /workflows/{}/activate',
  'POST /workflows/{}/deactivate',
  'GET /executions',
  'GET /executions/{}',
  'GET /credentials/schema/{}',
]);

const normal = ({ method, path }: { method: string; path: string }): string => {
  const below = path.replace(/^\/?(api\/v1\/)?/, '/').replace(/\{[^}]*\}|:[A-Za-z]+/g, '{}');
  return `${method.toUpperCase()} ${below.replace(/(.)\/$/, '$1')}`;
};

/** What this version of n8n offers to the user's key. */
export const readEndpoints = async (api: N8nApi, signal: AbortSignal): Promise<Endpoints> => {
  try {
    const { data } = reply.parse(await api.ask({ path: 'discover', signal }));
    return new Set(Object.values(data.resources).flatMap(({ endpoints }) => endpoints.map(normal)));
  } catch (error) {
    if (error instanceof z.ZodError) return published;
    if (error instanceof N8nError && error.status === 404) return published;
    throw error;
  }
};
