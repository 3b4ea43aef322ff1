import { z } from 'zod';
import { N8nError, type N8nApi } from './client.ts';
import { asText, defineTool, objectId, secretMask, type N8nCall } from './tool.ts';

const listed = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      active: z.boolean().catch(false),
      updatedAt: z.string().catch(''),
      tags: z.array(z.object({ name: z.string() })).catch([]),
    }),
  ),
  nextCursor: z.string().nullish(),
});

const workflow = z.object({
  id: z.string(),
  name: z.string(),
  active: z.boolean().catch(false),
  updatedAt: z.string().catch(''),
  versionId: z.string().nullish(),
  nodes: z.array(z.unknown()),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()).catch({}),
});
type Workflow = z.infer<typeof workflow>;

const node = z.looseObject({
  name: z.string().min(1).max(200),
  type: z.string().min(1).max(200),
  typeVersion: z.number().optional(),
  position: z.array(z.number()).length(2),
  parameters: z.record(z.string(), z.unknown()).optional(),
});
const parts = {
  name: z.string().min(1).max(200),
  nodes: z.array(node).max(500),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()),
};

const idInput = z.strictObject({ id: objectId });

/** What an update is made over: n8n gives a new version for nodes, and a new time for any change. */
const versionOf = ({ versionId, updatedAt }: Workflow): string =>
  [versionId, updatedAt].filter(Boolean).join('@');

/** n8n refuses to write this value, which stands for a setting that is not set. */
const settingsOf = ({ settings }: Workflow) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== 'DEFAULT'));

const get = async ({ api, signal }: N8nCall, id: string): Promise<Workflow> => {
  const read = workflow.safeParse(await api.ask({ path: `workflows/${id}`, signal }));
  if (!read.success) throw new N8nError('n8n gave a workflow that cannot be read.');
  return read.data;
};

const linkOf = (api: N8nApi, id: string) => api.link(`workflow/${id}`);

/** A value that was left out when it was read must not be written over the real one. */
const refuseMasked = (written: unknown) => {
  if (JSON.stringify(written).includes(secretMask))
    throw new N8nError(`The workflow contains "${secretMask}". Use a credential of n8n for this value.`);
};

const saved = (call: N8nCall, given: unknown, done: string) => {
  const read = workflow.safeParse(given);
  if (!read.success) throw new N8nError('n8n gave a workflow that cannot be read.');
  const { id, name, active } = read.data;
  const text = asText({ id, name, active, version: versionOf(read.data) }, call.api);
  return { text: `${done}\n${text}`, link: linkOf(call.api, id) };
};

const listWorkflows = defineTool({
  name: 'list_workflows',
  description: 'Lists workflows of n8n with id, name and state. Pass nextCursor as cursor for more.',
  input: z.strictObject({
    name: z.string().max(200).optional().describe('Part of the name'),
    active: z.boolean().optional(),
    tags: z.string().max(200).optional().describe('Names of tags, separated by commas'),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(500).optional(),
  }),
  effect: 'read',
  endpoints: ['GET /workflows'],
  describe: () => 'List workflows of n8n.',
  run: async (query, { api, signal }) => {
    const { data, nextCursor } = listed.parse(await api.ask({ path: 'workflows', query, signal }));
    const rows = data.map(({ tags, ...row }) => ({ ...row, tags: tags.map(({ name }) => name).join(', ') }));
    return {
      text: asText({ workflows: rows, nextCursor }, api),
      data: rows,
      link: api.link('home/workflows'),
    };
  },
});

const getWorkflow = defineTool({
  name: 'get_workflow',
  description: 'Reads a workflow of n8n: its nodes, connections, settings, and the version for an update.',
  input: idInput,
  effect: 'read',
  endpoints: ['GET /workflows/{}'],
  describe: ({ id }) => `Read the workflow ${id} of n8n.`,
  run: async ({ id }, call) => {
    const read = await get(call, id);
    const { versionId: _versionId, ...shown } = { ...read, version: versionOf(read) };
    return { text: asText(shown, call.api), link: linkOf(call.api, id) };
  },
});

const createWorkflow = defineTool({
  name: 'create_workflow',
  description: 'Creates a workflow in n8n. It is not active.',
  input: z.strictObject({ ...parts, settings: parts.settings.default({}) }),
  effect: 'write',
  endpoints: ['POST /workflows'],
  describe: ({ name, nodes }) => `Create the workflow "${name}" with ${nodes.length} nodes in n8n.`,
  run: async (body, call) => {
    refuseMasked(body);
    const given = await call.api.ask({ method: 'POST', path: 'workflows', body, signal: call.signal });
    return saved(call, given, 'Created.');
  },
});

const updateWorkflow = defineTool({
  name: 'update_workflow',
  description:
    'Changes a workflow of n8n. Pass the version that n8n_get_workflow gave; what is left out stays as it is.',
  input: z.strictObject({
    id: objectId,
    version: z.string().min(1).max(100),
    ...z.object(parts).partial().shape,
  }),
  effect: 'write',
  endpoints: ['PUT /workflows/{}'],
  describe: ({ id, version: _version, ...changes }) =>
    `Change ${Object.keys(changes).join(', ') || 'nothing'} of the workflow ${id} in n8n.`,
  run: async ({ id, version, ...changes }, call) => {
    refuseMasked(changes);
    const now = await get(call, id);
    if (versionOf(now) !== version)
      throw new N8nError('The workflow has changed since it was read. Read it again, and repeat the change.');
    const { name, nodes, connections, settings } = { ...now, settings: settingsOf(now), ...changes };
    const body = { name, nodes, connections, settings };
    const given = await call.api.ask({ method: 'PUT', path: `workflows/${id}`, body, signal: call.signal });
    return saved(call, given, 'Changed.');
  },
});

const deleteWorkflow = defineTool({
  name: 'delete_workflow',
  description: 'Deletes a workflow of n8n with its history. This cannot be undone.',
  input: idInput,
  effect: 'destructive',
  endpoints: ['DELETE /workflows/{}'],
  describe: ({ id }) => `Delete the workflow ${id} of n8n. This cannot be undone.`,
  run: async ({ id }, { api, signal }) => {
    await api.ask({ method: 'DELETE', path: `workflows/${id}`, signal });
    return { text: `The workflow ${id} is deleted.` };
  },
});

const switchWorkflow = (action: 'activate' | 'deactivate') => {
  const isOn = action === 'activate';
  return defineTool({
    name: `${action}_workflow`,
    description: isOn
      ? 'Activates a workflow of n8n: from then on its triggers start it.'
      : 'Deactivates a workflow of n8n: its triggers no longer start it.',
    input: idInput,
    effect: 'write',
    endpoints: [`POST /workflows/{}/${action}`],
    describe: ({ id }) => `${isOn ? 'Activate' : 'Deactivate'} the workflow ${id} of n8n.`,
    run: async ({ id }, call) => {
      const path = `workflows/${id}/${action}`;
      const given = await call.api.ask({ method: 'POST', path, signal: call.signal });
      return saved(call, given, isOn ? 'Activated.' : 'Deactivated.');
    },
  });
};

/** Versions of n8n differ in the name of the endpoint. */
const runPaths = ['execute', 'run'] as const;
const started = z.object({ executionId: z.union([z.string(), z.number()]).nullish() });

const runWorkflow = defineTool({
  name: 'run_workflow',
  description: 'Runs a workflow of n8n once, from its start, and gives the id of the execution.',
  input: idInput,
  effect: 'write',
  endpoints: runPaths.map((path) => `POST /workflows/{}/${path}`),
  describe: ({ id }) => `Run the workflow ${id} of n8n once.`,
  run: async ({ id }, { api, endpoints, signal }) => {
    const path = runPaths.find((name) => endpoints.has(`POST /workflows/{}/${name}`)) ?? 'execute';
    const given = await api.ask({ method: 'POST', path: `workflows/${id}/${path}`, body: {}, signal });
    const { executionId } = started.catch({}).parse(given);
    if (executionId === undefined || executionId === null)
      return { text: asText(given, api), link: linkOf(api, id) };
    return {
      text: `Started as execution ${executionId}.`,
      link: api.link(`workflow/${id}/executions/${executionId}`),
    };
  },
});

export const workflowTools = [
  listWorkflows,
  getWorkflow,
  createWorkflow,
  updateWorkflow,
  deleteWorkflow,
  switchWorkflow('activate'),
  switchWorkflow('deactivate'),
  runWorkflow,
];
