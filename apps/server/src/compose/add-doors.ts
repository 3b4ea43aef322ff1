import type { AgentModule } from '@drawbridge/agent';
import { createSessions, createSessionsStore } from '../agent/index.ts';
import { daemonMounts } from '@drawbridge/contracts/daemon-paths';
import { socketPath } from '@drawbridge/contracts/link/socket';
import type { FastifyRequest } from 'fastify';
import { createAuthRoutes, createMetadataRoutes, createOauthRoutes, type People } from '../auth/index.ts';
import { createChannelsDoor } from '../doors/channels/index.ts';
import { createDaemonDoor } from '../doors/daemon-http/index.ts';
import { createConfirmAsk, createInstanceAiDoor } from '../doors/instance-ai/index.ts';
import { createJsonRpcDoor, type JsonRpcDrain } from '../doors/jsonrpc/index.ts';
import { createMcpDoor } from '../doors/mcp/index.ts';
import { createRestDoor } from '../doors/rest/index.ts';
import { createWebhooksDoor } from '../doors/webhooks/index.ts';
import { createWebchatDoor } from '../doors/webchat/index.ts';
import { createTrpcDoor } from '../doors/trpc/index.ts';
import type { Gateway } from '../gateway/index.ts';
import { createOriginGuard, credentialsOf, type Quota } from '../http/index.ts';
import type { Channels } from '../channels/index.ts';
import type { Hooks } from '../hooks/index.ts';
import { createVoiceForPeople, type SpeechService, type Transcribe } from '../voice/index.ts';
import type { Notifications } from '../notify/index.ts';
import { serverCommand } from '../program/built-files.ts';
import { openAnswers } from './start-notifications.ts';
import type { Web } from './create-web.ts';
import { configurationFacts } from './configuration-facts.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';
import type { Rooms } from './open-rooms.ts';
import type { TailnetListener } from './tailnet-listener.ts';
import { revokeWithCalls } from './revoke-with-calls.ts';

/** A write of 512 KiB, escaped, and what goes around it. */
const trpcBodyLimit = 4 * 1024 * 1024;

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
  gateway: Gateway;
  people: People;
  web: Web;
  rooms: Rooms;
  notifications: Notifications;
  channels: Channels;
  transcribe: Transcribe;
  speech: SpeechService;
  hooks: Hooks;
  /** The open windows of panels, by user. */
  panels: Quota;
  /** Null without one. */
  tailnet: TailnetListener | null;
  /** Undefined where `DISABLED_MODULES` names the agent. */
  agent?: AgentModule | undefined;
}

type GuardOrigin = (request: FastifyRequest) => Promise<void>;

const addAccountRoutes = async ({ opened, people, web }: Parts, guardOrigin: GuardOrigin) => {
  const { auth, refreshes, accounts, clients, ownMachines, proofs, address } = opened;
  const { server, limits } = web;
  const { url } = address;
  const sessionOf = (request: FastifyRequest) => accounts.session(credentialsOf(request));
  const { checkSessions } = accounts;
  const { endGrants } = people;
  await server.register(
    async (scope) => {
      scope.addHook('onRequest', guardOrigin);
      await scope.register(
        createAuthRoutes({ auth, limits, url, checkSessions, proofs, sessionOf, endGrants }),
      );
    },
    { prefix: '/api/auth' },
  );
  const oauth = createOauthRoutes({
    auth,
    refreshes,
    limits,
    url,
    proofs,
    pages: opened.consentPages,
    guardOrigin,
    sessionOf,
    ownsHost: address.ownsHost,
    setRedirects: clients.setRedirects,
    requireMachines: ownMachines.require,
    setMachines: clients.setMachines,
    onRegistered: clients.forgetUnconnected,
  });
  await server.register(oauth, { prefix: '/api/auth/oauth2' });
  await server.register(createMetadataRoutes({ auth, url }), { prefix: '/.well-known' });
};

interface OpenSockets extends JsonRpcDrain {
  /** Deletes the names of sessions whose chats are gone. */
  forgetOld(): Promise<void>;
}

const addJsonRpc = async (parts: Parts, guardOrigin: GuardOrigin): Promise<OpenSockets> => {
  const { config, clock, opened, gateway, web, rooms, channels, transcribe, speech, agent, tailnet } = parts;
  const { accounts, access, tokens, tickets, address, store, onError } = opened;
  const sessions = createSessions({ store: createSessionsStore(store), clock });
  const { plugin, tailnetPlugin, ...drain } = createJsonRpcDoor({
    gateway,
    accounts,
    access,
    tokens,
    tickets,
    sessions,
    limits: web.limits,
    clock,
    agent,
    channels,
    transcribe,
    speech,
    hasVoice: config.transcriptionUrl !== undefined,
    guardOrigin,
    url: address.url,
    upgrades: web.upgrades.at('/rpc', ['/']),
    frameMaxBytes: config.rpcFrameMaxBytes,
    startedAt: clock.now(),
    configuration: configurationFacts(config),
    ...rooms,
    onError,
  });
  await web.server.register(plugin);
  if (tailnet) await tailnet.server.register(tailnetPlugin(tailnet.tailnet, tailnet.sockets));
  return { ...drain, forgetOld: sessions.forgetOld };
};

/** Adds every door to the HTTP server; returns the end of the one with sockets, null without it. */
export const addDoors = async (parts: Parts): Promise<OpenSockets | null> => {
  const { config, clock, opened, gateway, people, web, notifications, channels, hooks, panels, agent } =
    parts;
  const understands = config.transcriptionUrl !== undefined;
  const { accounts, access, tokens, clients, address, secret, onError } = opened;
  const { server, limits } = web;
  const guardOrigin = createOriginGuard(address);
  const site = { url: address.url, guard: guardOrigin };
  const { streamsPerUser, mcpWaitMs, allowQueryKey, resultMaxBytes, streamsPerAddress } = config;

  await addAccountRoutes(parts, guardOrigin);
  const trpc = createTrpcDoor({
    gateway,
    clock,
    accounts,
    ...revokeWithCalls({ gateway, tokens, clients }),
    people,
    notifications,
    answerNotice: openAnswers({ ...parts, agent: agent?.agent ?? null }),
    channels,
    hooks,
    voice: createVoiceForPeople({ ...parts, understands }),
    streams: panels,
    serverCommand: serverCommand(),
    agent,
    limits,
    guardOrigin,
    bodyLimit: trpcBodyLimit,
    onError,
  });
  await server.register(trpc, { prefix: '/trpc' });
  await server.register(createWebhooksDoor({ hooks, limits }));
  await server.register(createChannelsDoor({ channels, limits, ownsHost: address.ownsHost }));
  await server.register(createWebchatDoor({ accounts, notifications, guardOrigin }));
  await server.register(createRestDoor({ gateway, access, limits, clock, site, onError }));
  await server.register(
    createDaemonDoor({
      gateway,
      accounts,
      access,
      limits,
      clock,
      guardOrigin,
      allowQueryKey,
      resultMaxBytes,
      streamsPerAddress,
      upgrades: web.upgrades.at(daemonMounts.bare + socketPath),
      ...(agent && { confirmAsk: createConfirmAsk(agent.agent) }),
    }),
  );
  if (agent) {
    const sessionsAndTokens = { accounts, access, limits, guardOrigin };
    await server.register(
      createInstanceAiDoor({ module: agent, gateway, ...sessionsAndTokens, clock, streamsPerUser, onError }),
    );
  }
  const settings = { streamsPerUser, waitMs: mcpWaitMs };
  await server.register(createMcpDoor({ gateway, access, limits, clock, settings, secret, site, onError }));
  return config.rpc ? addJsonRpc(parts, guardOrigin) : null;
};
