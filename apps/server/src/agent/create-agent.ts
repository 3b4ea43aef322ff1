import { createAgent, type AgentConfig, type AgentModule } from '@drawbridge/agent';
import { defaultPolicies } from '@drawbridge/contracts/agent/settings';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import type { CallerContext } from '../callers/index.ts';
import type { Store } from '../db/index.ts';
import { errors } from '../errors.ts';
import type { AgentEnvironment } from './config-schema.ts';
import { createMachinePort } from './machine.ts';
import { createMcpClients } from './mcp/index.ts';
import { createModels } from './models/index.ts';
import { createAgentStore } from './store/agent.store.ts';
import { createSearch, createWeb } from './web/index.ts';

interface Needs {
  environment: AgentEnvironment;
  clock: Clock;
  store: Store;
  callers: CallerContext;
  isUser(userId: string): Promise<boolean>;
  warn(sentence: string): void;
  onError(error: unknown): void;
}

export interface ServerAgent extends AgentModule {
  stop(): Promise<void>;
}

const idLength = 16;

/** Settings come from the environment alone. */
const unavailable = async (): Promise<never> => {
  throw errors.notFound();
};

/** The built-in agent with the parts of this server. */
export const createServerAgent = (needs: Needs): ServerAgent => {
  const { environment, clock, store, callers, warn, onError } = needs;
  const config = async (): Promise<AgentConfig> => ({
    off: environment.agentModel === undefined ? 'model' : null,
    policy: defaultPolicies,
    areToolsDeferred: environment.agentDeferredTools,
    areSecretsMasked: environment.agentMaskSecrets,
    observerTokens: environment.agentObserverTokens,
    reflectorTokens: environment.agentReflectorTokens,
    askTtlMs: environment.agentAskTtlMs,
    maxRuns: environment.agentMaxRuns,
    maxRunsPerUser: environment.agentMaxRunsPerUser,
    tokensPerDay: environment.agentTokensPerDay,
    costMicroPerDay: null,
  });
  const models = createModels({
    clock,
    settings: async () => ({
      model: environment.agentModel ?? null,
      modelUrl: environment.agentModelUrl ?? null,
      modelKey: environment.agentModelKey ?? null,
      vendorKeys: { anthropic: null, openai: null, google: null },
      helperModel: environment.agentHelperModel ?? null,
      contextTokens: environment.agentContextTokens ?? null,
      maxOutputTokens: environment.agentMaxOutputTokens,
      prices: null,
    }),
  });
  const web = createWeb({ clock });
  const mcp = createMcpClients({ clock, servers: async () => environment.agentMcpServers ?? [], warn });
  const agent = createAgent({
    store: createAgentStore({ db: store.db, commit: store.commit, onError }),
    model: models,
    machine: createMachinePort(callers),
    web,
    search: createSearch({ clock, config: async () => ({ braveKey: null, searxngUrl: null }) }),
    mcp,
    domains: [],
    clock,
    newId: (prefix) => prefix + nanoid(idLength),
    config,
    isUser: needs.isUser,
    keepMs: environment.keepThreadsMs,
    onError,
  });
  return {
    agent,
    status: async () => ({
      module: true,
      enabled: (await config()).off === null,
      model: (await models.info('main'))?.id ?? null,
    }),
    settings: { get: unavailable, change: unavailable },
    verify: unavailable,
    stop: async () => {
      await agent.stop();
      await mcp.close();
      await web.close();
    },
  };
};
