import { openStandIn, replyJson, type StandInRequest } from './http-stand-in.ts';

interface StoredWorkflow {
  id: string;
  name: string;
  active: boolean;
  updatedAt: string;
  versionId: string;
  nodes: unknown[];
  connections: object;
  settings: object;
}

export const n8nKey = 'n8n-key-of-ada-1234567890';

const everything = [
  'GET /workflows',
  'POST /workflows',
  'GET /workflows/{id}',
  'PUT /workflows/{id}',
  'DELETE /workflows/{id}',
  'POST /workflows/{id}/activate',
  'POST /workflows/{id}/deactivate',
  'POST /workflows/{id}/execute',
  'GET /executions',
  'GET /executions/{id}',
  'POST /executions/{id}/retry',
  'POST /executions/{id}/stop',
  'GET /credentials',
  'GET /credentials/schema/{credentialTypeName}',
];

const node = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', position: [0, 0] };

/** A stand-in of n8n with one workflow, `w1`. `offered`: its discover; null: an older version. */
export const openN8n = async (offered: readonly string[] | null = everything) => {
  const workflows = new Map<string, StoredWorkflow>();
  workflows.set('w1', {
    id: 'w1',
    name: 'First',
    active: false,
    updatedAt: 't1',
    versionId: 'v1',
    nodes: [node],
    connections: {},
    settings: { timezone: 'UTC', saveExecutionProgress: 'DEFAULT' },
  });
  const executions = new Map<string, unknown>([
    ['7', { id: 7, workflowId: 'w1', status: 'error', mode: 'manual', data: { note: 'failed' } }],
  ]);
  const discover = (list: readonly string[]) => {
    const endpoints = list.map((line) => {
      const [method = '', path = ''] = line.split(' ');
      return { method, path: `/api/v1${path}`, operationId: line };
    });
    return { data: { scopes: [], resources: { all: { operations: [], endpoints } }, filters: {} } };
  };

  const one = ({ method, body }: StandInRequest, id: string, action: string): unknown => {
    const stored = workflows.get(id);
    if (!stored) return undefined;
    const change = (more: Partial<StoredWorkflow>) => {
      const next = { ...stored, ...more };
      workflows.set(id, next);
      return next;
    };
    if (action === 'execute') return { executionId: '8', waitingForWebhook: false };
    if (action !== '') return change({ active: action === 'activate' });
    if (method === 'DELETE') workflows.delete(id);
    if (method !== 'PUT') return stored;
    const written = JSON.parse(body) as StoredWorkflow;
    // As n8n does: settings are merged, and the version is one of the nodes.
    const settings = { ...stored.settings, ...written.settings };
    const hasNodes = JSON.stringify(written.nodes) !== JSON.stringify(stored.nodes);
    const versionId = hasNodes ? `${stored.versionId}+` : stored.versionId;
    return change({ ...written, settings, versionId, updatedAt: `${stored.updatedAt}+` });
  };
  /** The name of a setting that n8n refuses to write. */
  const refused = ({ method, body }: StandInRequest): string | undefined => {
    if (method !== 'PUT') return undefined;
    const { settings } = JSON.parse(body) as StoredWorkflow;
    return Object.entries(settings).find(([, value]) => value === 'DEFAULT')?.[0];
  };
  const answer = (request: StandInRequest): unknown => {
    const { method, path, body } = request;
    const { pathname } = new URL(path, 'http://n8n.example');
    const [, , , resource, id = '', action = ''] = pathname.split('/');
    if (resource === 'discover') return offered === null ? undefined : discover(offered);
    if (resource === 'workflows' && method === 'POST' && id === '') {
      const created = {
        ...(JSON.parse(body) as StoredWorkflow),
        id: 'w2',
        active: false,
        versionId: 'v1',
        updatedAt: 't1',
      };
      workflows.set('w2', created);
      return created;
    }
    if (resource === 'workflows')
      return id === '' ? { data: [...workflows.values()], nextCursor: null } : one(request, id, action);
    if (resource === 'executions')
      return id === '' ? { data: [...executions.values()], nextCursor: 'more' } : executions.get(id);
    if (pathname === '/api/v1/credentials')
      return {
        data: [{ id: 'c1', name: 'Mail', type: 'smtp', data: { password: 'hunter2' } }],
        nextCursor: null,
      };
    return pathname === '/api/v1/credentials/schema/smtp'
      ? { properties: { host: { type: 'string' }, password: { type: 'string' } } }
      : undefined;
  };

  const service = await openStandIn((request, reply) => {
    if (request.headers['x-n8n-api-key'] !== n8nKey)
      return replyJson(reply, { message: 'unauthorized' }, 401);
    const setting = refused(request);
    if (setting !== undefined)
      return replyJson(reply, { message: `request/body/settings/${setting} is not valid.` }, 400);
    const body = answer(request);
    replyJson(reply, body ?? { message: 'Not Found' }, body === undefined ? 404 : 200);
  });
  const paths = () => service.asked.map(({ method, path }) => `${method} ${path}`);
  return { ...service, workflows, executions, paths };
};
