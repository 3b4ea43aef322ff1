import { accountRouter, invitationsRouter, peopleRouter, setupRouter } from './accounts.router.ts';
import { agentRouter } from './agent/agent.router.ts';
import { callsRouter } from './calls.router.ts';
import { clientsRouter } from './clients.router.ts';
import { confirmationsRouter } from './confirmations.router.ts';
import { gatewayRouter } from './machines/gateway.router.ts';
import { liveRouter } from './live.ts';
import { machinesRouter } from './machines/machines.router.ts';
import { processesRouter } from './machines/processes.router.ts';
import { rulesRouter } from './machines/rules.router.ts';
import { channelsRouter, voiceRouter } from './outside/channels.router.ts';
import { hooksRouter } from './outside/hooks.router.ts';
import { notificationsRouter } from './outside/notifications.router.ts';
import { settingsRouter } from './settings.router.ts';
import { tokensRouter } from './tokens.router.ts';
import { router } from './trpc.ts';

export const appRouter = router({
  account: accountRouter,
  agent: agentRouter,
  calls: callsRouter,
  channels: channelsRouter,
  clients: clientsRouter,
  confirmations: confirmationsRouter,
  gateway: gatewayRouter,
  hooks: hooksRouter,
  invitations: invitationsRouter,
  live: liveRouter,
  machines: machinesRouter,
  notifications: notificationsRouter,
  people: peopleRouter,
  rules: rulesRouter,
  processes: processesRouter,
  settings: settingsRouter,
  setup: setupRouter,
  tokens: tokensRouter,
  voice: voiceRouter,
});

/** The panel's types. */
export type AppRouter = typeof appRouter;
