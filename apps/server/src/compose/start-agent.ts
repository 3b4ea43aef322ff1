import type { ModelPort } from '@drawbridge/agent';
import type { QueueSettings } from '@drawbridge/contracts/agent/lanes';
import {
  createRecorder,
  createAgentServers,
  createServerAgent,
  openTracer,
  createSwitchedWorkspaces,
  type ServerAgent,
} from '../agent/index.ts';
import { workspaceProgram } from '../program/built-files.ts';
import type { Gateway } from '../gateway/index.ts';
import type { Notifications } from '../notify/index.ts';
import { shownOnDevice } from './start-notifications.ts';
import type { Others } from './servers/connect-servers.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  others: Others;
  opened: OpenAccounts;
  gateway: Gateway;
  /** Counts the calls of a model. */
  counted(model: ModelPort): ModelPort;
  /** How messages wait, as set at run time. */
  queueSettings(): Promise<QueueSettings>;
  notifications: Notifications;
}

const moduleName = 'instance-ai';

/** The built-in agent, with what earlier runs of the server left open; null where it is disabled. */
export const startAgent = async (parts: Parts): Promise<ServerAgent | null> => {
  const { config, opened, gateway, notifications, counted, queueSettings } = parts;
  if (config.disabledModules.includes(moduleName)) return null;
  const { accounts, log, scrubber, secret, store, onError } = opened;
  const { server } = parts.others;
  const clock = server?.clock ?? parts.clock;
  const warn = (sentence: string) => log.warn(sentence);
  const { otlpEndpoint: endpoint, agentTraceContent: hasContent } = config;
  const tracerNeeds = { hasContent, scrub: scrubber.scrub, warn, clock };
  const tracing = endpoint === undefined ? undefined : await openTracer({ endpoint, ...tracerNeeds });
  const { agentRecord: folder, dataDir } = config;
  const recorder =
    folder === undefined ? undefined : createRecorder({ folder, clock, scrub: scrubber.scrub, onError });
  const workspaces = createSwitchedWorkspaces({
    dataDir,
    program: workspaceProgram,
    clock,
    hasOthers: server !== null,
  });
  const agent: ServerAgent = createServerAgent({
    environment: config,
    clock,
    store,
    ...(server && { servers: createAgentServers(server, store) }),
    callers: { gateway, clock, onError },
    secret,
    isUser: accounts.isEnabled,
    hide: scrubber.hide,
    warn,
    workspaces,
    tracing,
    recorder,
    counted,
    queueSettings,
    onAsked: ({ threadId, ...ask }) =>
      notifications.asked({
        ...ask,
        machine: null,
        path: `/chat/${threadId}`,
        shown: () => {
          const key = { userId: ask.userId, askId: ask.id, confirmationId: null };
          return shownOnDevice({ agent: agent.agent, confirmation: gateway.confirmations.get }, key);
        },
      }),
    onPreempted: (preemption) => log.info(preemption, 'queue.preempt'),
    onBackend: (line) => log.info(line, line.audit),
    onSettingsChanged: gateway.settings.changed,
    onError,
  });
  const { problem } = (await agent.settings.get()).workspace;
  if (problem !== null) warn(problem);
  agent.agent.onRunEnded(({ threadId, ...run }) =>
    notifications.ended({ ...run, path: `/chat/${threadId}` }),
  );
  await agent.agent.start();
  return agent;
};
