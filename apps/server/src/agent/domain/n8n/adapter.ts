import type { DomainAdapter } from '@drawbridge/agent';
import type { CheckLine } from '@drawbridge/contracts/agent/settings';
import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { apiAt, openApi, N8nError, type N8nApi, type N8nNeeds } from './client.ts';
import { credentialTools } from './credential-tools.ts';
import { readEndpoints, type Endpoints } from './endpoints.ts';
import { executionTools } from './execution-tools.ts';
import { namePrefix } from './tool.ts';
import { workflowTools } from './workflow-tools.ts';

const knownMs = 5 * 60_000;
/** After a failure, so that a server that is down does not hold up each step. */
const pauseMs = 60_000;
const maxUsers = 1_000;

/** Tests an address without a key: n8n refuses the request with status 401. */
const testAddress = async (
  clock: Clock,
  { address, signal }: { address: string; signal: AbortSignal },
): Promise<CheckLine> => {
  const name = 'Connection';
  try {
    await apiAt({ clock, address, key: null }).ask({ path: 'workflows', signal });
  } catch (error) {
    if (!(error instanceof N8nError)) return { name, state: 'failed', text: 'n8n could not be used.' };
    if (error.status === 401) return { name, state: 'ok', text: 'It answers, and asks for a key.' };
    return { name, state: 'failed', text: error.message };
  }
  const text = 'It answers without a key. Check that this is the address of n8n.';
  return { name, state: 'failed', text };
};

const tools = [...workflowTools, ...executionTools, ...credentialTools];

const instructions = `You can work on workflows of n8n with the tools whose names begin with n8n_.
- Read a workflow before you change it, and pass the version that you read.
- Change only what was asked for: keep the ids, positions and credentials of the other nodes.
- Test a change: run the workflow where that is possible, read the execution, and correct what failed.
- Never write a secret into a node. Refer to a credential by its id and name; when it does not exist, give the
  person the link to create it.
- Activate a workflow only when the person wants it to run.`;

const noKey =
  'You have no API key for this address. Save the address, then enter your key under Settings > Account.';

interface Known {
  /** The address and the key that they were read with. */
  for: string;
  endpoints: Endpoints;
  untilMs: number;
}

const none: Endpoints = new Set();

/** n8n by its public API, with each user's own key: what the key may not do, the agent cannot do. */
export const createN8n = (needs: N8nNeeds): DomainAdapter => {
  const known = createBoundedMap<string, Known>({ maxEntries: maxUsers });

  const endpointsOf = async (userId: string, api: N8nApi, signal: AbortSignal): Promise<Endpoints> => {
    const now = needs.clock.now();
    const asked = JSON.stringify([api.link(''), api.key]);
    const entry = known.get(userId);
    if (entry?.for === asked && entry.untilMs > now) return entry.endpoints;
    const remember = (endpoints: Endpoints, ms: number) =>
      known.set(userId, { for: asked, endpoints, untilMs: now + ms });
    try {
      const endpoints = await readEndpoints(api, signal);
      remember(endpoints, knownMs);
      return endpoints;
    } catch (error) {
      remember(none, pauseMs);
      throw error;
    }
  };
  const open = async (signal: AbortSignal, userId: string) => {
    const api = await openApi(needs, userId);
    if (!api) throw new N8nError('n8n is no longer configured for you.');
    return { api, endpoints: await endpointsOf(userId, api, signal), signal };
  };
  const offered = (endpoints: Endpoints) => tools.filter((tool) => tool.isOffered(endpoints));

  const testKey = async (api: N8nApi, signal: AbortSignal): Promise<CheckLine[]> => {
    try {
      const count = offered(await readEndpoints(api, signal)).length;
      await api.ask({ path: 'workflows', query: { limit: 1 }, signal });
      return [
        { name: 'Connection', state: 'ok', text: 'n8n accepts your key.' },
        {
          name: 'Tools',
          state: 'ok',
          text: `${count} of ${tools.length} tools are available with this key.`,
        },
      ];
    } catch (error) {
      const text = error instanceof N8nError ? error.message : 'n8n could not be used.';
      return [{ name: 'Connection', state: 'failed', text }];
    }
  };

  return {
    id: 'n8n',
    title: 'n8n',
    instructions,
    toolNames: tools.flatMap(({ name }) => [name, namePrefix + name]),
    tools: async (userId) => {
      const api = await openApi(needs, userId);
      if (!api) return [];
      const { signal } = new AbortController();
      const endpoints = await endpointsOf(userId, api, signal).catch(() => none);
      return endpoints === none ? [] : offered(endpoints).map((tool) => tool.bind(open));
    },
    test: async (userId) => {
      const [address, key] = await Promise.all([needs.url(), needs.key(userId)]);
      const lines: CheckLine[] = [
        address === null
          ? { name: 'Address', state: 'failed', text: 'The owner has not set the address of n8n.' }
          : { name: 'Address', state: 'ok', text: address },
        key === null
          ? { name: 'Key', state: 'failed', text: noKey }
          : { name: 'Key', state: 'ok', text: 'A key is set.' },
      ];
      const { signal } = new AbortController();
      const api = await openApi(needs, userId);
      if (api) return [...lines, ...(await testKey(api, signal))];
      if (address !== null) return [...lines, await testAddress(needs.clock, { address, signal })];
      return [...lines, { name: 'Connection', state: 'skipped', text: 'Not tried.' }];
    },
  };
};
