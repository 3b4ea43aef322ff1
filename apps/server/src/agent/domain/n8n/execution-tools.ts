import { z } from 'zod';
import { asText, defineTool } from './tool.ts';

const executionId = z
  .union([z.string(), z.int()])
  .transform(String)
  .pipe(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/));
const statuses = ['canceled', 'crashed', 'error', 'new', 'running', 'success', 'unknown', 'waiting'] as const;

const text = z.union([z.string(), z.number()]).transform(String).nullish();
const row = z.object({
  id: text,
  workflowId: text,
  status: text,
  mode: text,
  startedAt: text,
  stoppedAt: text,
});
const listed = z.object({ data: z.array(row), nextCursor: z.string().nullish() });

const listExecutions = defineTool({
  name: 'list_executions',
  description: 'Lists executions of n8n, the newest first. Pass nextCursor as cursor for more.',
  input: z.strictObject({
    workflowId: z.string().max(64).optional(),
    status: z.enum(statuses).optional(),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(500).optional(),
  }),
  effect: 'read',
  endpoints: ['GET /executions'],
  describe: () => 'List executions of n8n.',
  run: async (query, { api, signal }) => {
    const { data, nextCursor } = listed.parse(await api.ask({ path: 'executions', query, signal }));
    return { text: asText({ executions: data, nextCursor }, api), data, link: api.link('home/executions') };
  },
});

const getExecution = defineTool({
  name: 'get_execution',
  description: 'Reads an execution of n8n with the data of its nodes. Secrets are left out.',
  input: z.strictObject({ id: executionId, includeData: z.boolean().default(true) }),
  effect: 'read',
  endpoints: ['GET /executions/{}'],
  describe: ({ id }) => `Read the execution ${id} of n8n.`,
  run: async ({ id, includeData }, { api, signal }) => {
    const given = await api.ask({ path: `executions/${id}`, query: { includeData }, signal });
    const { workflowId } = row.safeParse(given).data ?? {};
    const link = workflowId ? { link: api.link(`workflow/${workflowId}/executions/${id}`) } : {};
    return { text: asText(given, api), ...link };
  },
});

const retryExecution = defineTool({
  name: 'retry_execution',
  description: 'Runs a failed execution of n8n again.',
  input: z.strictObject({ id: executionId }),
  effect: 'write',
  endpoints: ['POST /executions/{}/retry'],
  describe: ({ id }) => `Run the execution ${id} of n8n again.`,
  run: async ({ id }, { api, signal }) => ({
    text: asText(
      row.parse(await api.ask({ method: 'POST', path: `executions/${id}/retry`, body: {}, signal })),
      api,
    ),
  }),
});

const stopExecution = defineTool({
  name: 'stop_execution',
  description: 'Stops an execution of n8n that runs or waits.',
  input: z.strictObject({ id: executionId }),
  effect: 'write',
  endpoints: ['POST /executions/{}/stop'],
  describe: ({ id }) => `Stop the execution ${id} of n8n.`,
  run: async ({ id }, { api, signal }) => ({
    text: asText(row.parse(await api.ask({ method: 'POST', path: `executions/${id}/stop`, signal })), api),
  }),
});

export const executionTools = [listExecutions, getExecution, retryExecution, stopExecution];
