import {
  createAgent,
  native,
  type AgentModule,
  type BackendLine,
  type ModelPort,
  type OpenedAsk,
  type Preemption,
} from '@drawbridge/agent';
import type { QueueSettings } from '@drawbridge/contracts/agent/lanes';
import type { SettingsDraft, VerifyReply, VerifyTarget } from '@drawbridge/contracts/agent/settings';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { machineToolNames, type CallerContext } from '../callers/index.ts';
import type { Store } from '../db/index.ts';
import type { AgentEnvironment } from './config-schema.ts';
import { createN8n } from './domain/index.ts';
import { createMachinePort } from './machine.ts';
import { createMcpClients } from './mcp/index.ts';
import { chosenModel, createModels, verifyModel, type ModelSettings, type Recorder } from './models/index.ts';
import type { OpenTracer } from './otel/index.ts';
import { createSettings, createSettingsStore, type SettingsReader } from './settings/index.ts';
import { createSealer } from '../secrets/index.ts';
import { createAgentStore } from './store/agent.store.ts';
import type { DrivingServers } from './servers/index.ts';
import { createSearch, createWeb } from './web/index.ts';
import type { SwitchedWorkspaces } from './workspace/index.ts';

interface Needs {
  environment: AgentEnvironment;
  clock: Clock;
  store: Store;
  callers: CallerContext;
  /** The server's secret: keys of the settings are sealed with it. */
  secret: string;
  isUser(userId: string): Promise<boolean>;
  /** Masks a secret in the log. */
  hide(secret: string): void;
  workspaces: SwitchedWorkspaces;
  /** Undefined for the only server of its store. */
  servers?: DrivingServers | undefined;
  /** Undefined where nothing is traced. */
  tracing?: OpenTracer | undefined;
  /** Undefined where exchanges with models are not recorded. */
  recorder?: Recorder | undefined;
  /** Counts the calls of a model. */
  counted(model: ModelPort): ModelPort;
  /** How messages wait; by default as the core has it. */
  queueSettings?(): Promise<QueueSettings>;
  onAsked?(ask: OpenedAsk): void;
  onPreempted?(preemption: Preemption): void;
  onBackend?(line: BackendLine): void;
  /** The owner has changed the settings: the agent may be on or off now. */
  onSettingsChanged(): void;
  warn(sentence: string): void;
  onError(error: unknown): void;
}

export interface ServerAgent extends AgentModule {
  /** The server of the chosen model, and the names of the models that it is asked for. */
  modelsInUse(): Promise<{ url: string | null; models: string[] }>;
  stop(): Promise<void>;
}

const idLength = 16;

/** The services that the owner chooses, as the reader has them. */
const createServices = (
  { clock, counted, recorder, warn }: Pick<Needs, 'clock' | 'counted' | 'recorder' | 'warn'>,
  { modelSettings, services, userKey }: SettingsReader,
) => {
  const n8n = createN8n({ clock, url: async () => (await services()).n8nUrl, key: userKey });
  return {
    model: counted(createModels({ clock, settings: modelSettings, recorder })),
    search: createSearch({ clock, config: services }),
    mcp: createMcpClients({
      clock,
      warn,
      servers: async () => (await services()).mcpServers,
      reserved: [...machineToolNames.flatMap((name) => [name, `workspace_${name}`]), ...n8n.toolNames],
    }),
    n8n,
  };
};

type Services = ReturnType<typeof createServices>;

/** What the agent reaches: models, machines, the web, MCP servers, n8n; by the owner's settings. */
const createParts = (needs: Needs) => {
  const { environment, clock, store, callers, secret, workspaces, hide } = needs;
  const settings = createSettings({
    store: createSettingsStore(store),
    cacheRows: store.cacheRows,
    sealer: createSealer(secret),
    environment,
    clock,
    workspaces,
    hide,
  });
  return {
    settings,
    machine: createMachinePort(callers, needs.servers?.driverOf),
    web: createWeb({ clock }),
    ...createServices(needs, settings),
    /** The services as they would be with the draft; what is left out of them is said by the test alone. */
    drafted: (draft: SettingsDraft) => createServices({ ...needs, warn: () => {} }, settings.drafted(draft)),
  };
};

const verify = async (
  { model, search, mcp, n8n }: Services,
  { clock, userId, target }: { clock: Clock; userId: string; target: VerifyTarget },
): Promise<VerifyReply> => {
  switch (target) {
    case 'model':
      return { lines: await verifyModel(model, clock) };
    case 'search':
      return { lines: await search.test() };
    case 'mcp':
      return { lines: await mcp.test() };
    case 'domain':
      return { lines: await n8n.test(userId) };
    default:
      return target satisfies never;
  }
};

const modelsInUse = (given: ModelSettings) => {
  const [main, helper] = [chosenModel(given, 'main'), chosenModel(given, 'helper')];
  const url = main?.url ?? null;
  const there = [main, helper].flatMap((choice) => (choice && choice.url === url ? choice.model : []));
  return { url, models: [...new Set(there)] };
};

/** The runs of a server that has the model alone are not reported. */
const reported = ({ environment: { runtimeBackends }, onBackend }: Needs): Needs['onBackend'] => {
  const isModelAlone = runtimeBackends.every((id) => id === native);
  return (line) => {
    if (!(isModelAlone && 'runtime' in line && line.runtime === native)) onBackend?.(line);
  };
};

/** The built-in agent with the parts of this server. */
export const createServerAgent = (needs: Needs): ServerAgent => {
  const { environment, clock, store, isUser, workspaces, tracing, onError } = needs;
  const { onAsked, onPreempted } = needs;
  const onBackend = reported(needs);
  const parts = createParts(needs);
  const { settings, model, machine, web, search, mcp, n8n } = parts;
  const agent = createAgent({
    store: createAgentStore({ ...store, onError }),
    model,
    machine,
    web,
    search,
    mcp,
    domains: [n8n],
    workspace: workspaces.port,
    clock,
    newId: (prefix) => prefix + nanoid(idLength),
    config: settings.config,
    queueSettings: needs.queueSettings,
    isUser: store.cacheRows(isUser),
    servers: needs.servers,
    ...(onPreempted && { onPreempted }),
    ...(onBackend && { onBackend }),
    keepMs: environment.keepThreadsMs,
    ...(tracing && { tracer: tracing.tracer }),
    ...(onAsked && { onAsked }),
    onError,
  });
  return {
    agent,
    settings: {
      get: settings.get,
      change: async (input) => {
        const changed = await settings.change(input);
        needs.onSettingsChanged();
        return changed;
      },
    },
    status: async (userId) => {
      const { off } = await settings.config();
      const isOn = off === null || (userId !== undefined && (await machine.runtimes(userId)).length > 0);
      return { module: true, enabled: isOn, model: (await model.info('main'))?.id ?? null };
    },
    model: () => model.info('main'),
    userKeys: {
      get: settings.userKeys,
      change: async (userId, { n8n: key }) => {
        if (key !== undefined) await settings.setUserKey(userId, key);
        return settings.userKeys(userId);
      },
    },
    verify: async (userId, target, draft = {}) => {
      const services = parts.drafted(draft);
      return verify(services, { clock, userId, target }).finally(services.mcp.close);
    },
    modelsInUse: async () => modelsInUse(await settings.modelSettings()),
    stop: async () => {
      await agent.stop();
      await mcp.close();
      await web.close();
      await tracing?.close();
    },
  };
};
