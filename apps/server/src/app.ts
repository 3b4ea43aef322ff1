import type { ServerAgent } from './agent/index.ts';
import { createForgetExpired, followProofEpoch } from './auth/index.ts';
import { daemonFile, daemonProgram } from './program/built-files.ts';
import { addDoors } from './compose/add-doors.ts';
import { createWeb } from './compose/create-web.ts';
import { readLocalFolder, startLocalMachine } from './compose/local/local-machine.ts';
import { managePeople } from './compose/manage-people.ts';
import { openAccounts, type AppNeeds, type OpenAccounts } from './compose/open-accounts.ts';
import { openPresence, recordCalls, recordMessages } from './compose/note-presence.ts';
import { drainMs, evenWithoutStore, stopServing } from './compose/servers/drain.ts';
import { connectServers } from './compose/servers/connect-servers.ts';
import { createOpenPanels } from './compose/servers/open-panels.ts';
import { openRooms } from './compose/open-rooms.ts';
import { startAgent } from './compose/start-agent.ts';
import { openInbound } from './compose/open-inbound.ts';
import { startGateway } from './compose/start-gateway.ts';
import { startNotifications } from './compose/start-notifications.ts';
import { createTailnetListener } from './compose/tailnet-listener.ts';
import { serveMetrics } from './compose/serve-metrics.ts';
import { startSweep, type Sweep } from './compose/sweep.ts';
import { lockFolder, type FolderLock } from './db/index.ts';
import type { Gateway } from './gateway/index.ts';
import { readDaemonPackage } from './http/index.ts';
import { createModelCalls } from './ops/index.ts';
import { createRuntimeSettings, createSettingsStore } from './settings/index.ts';
import { createSpeech, createTranscribe } from './voice/index.ts';

/** Assembles the server. Throws `dataFolderInUse` while another server has the data folder. */
export const createApp = async (needs: AppNeeds) => {
  const lock = lockFolder(needs.config.dataDir);
  try {
    const run = followProofEpoch({ ...needs.config, clock: needs.clock });
    const app = await assemble(needs, lock);
    return {
      ...app,
      listen: () => run.listen(app.listen),
      close: (how?: Closing) => {
        run.stop();
        return app.close(how);
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};

interface Closing {
  /** Whether a server of several gives its work up first, for up to `DRAIN_SECONDS`. */
  drains: boolean;
}

const localMachineNeeds = (
  { opened, ...parts }: Pick<AppNeeds, 'config' | 'clock'> & { opened: OpenAccounts; gateway: Gateway },
  folder: string,
  port: () => number,
) => {
  const { config, config: store } = parts;
  const { ownerId } = opened.accounts;
  return { ...parts, ...opened, folder, store, program: daemonProgram, host: config.host, port, ownerId };
};

const assemble = async (needs: AppNeeds, lock: FolderLock) => {
  const { config, clock } = needs;
  const { localGatewayDir, dataDir } = config;
  const localFolder = localGatewayDir === null ? null : readLocalFolder(localGatewayDir, dataDir);
  const opened = await openAccounts(needs);
  const { log, onError, address, store, accounts, setupToken } = opened;
  const daemon = await readDaemonPackage(config.daemonFile ?? daemonFile);
  const others = await connectServers({ config, clock, ...opened });
  const panels = createOpenPanels(config.streamsPerUser, others.bus);
  const settings = createRuntimeSettings({ ...store, store: createSettingsStore(store), clock });
  const { notifications, nodePush } = await startNotifications({ ...needs, opened, settings, panels });
  let agent: ServerAgent | null = null;
  const isAgentOn = async () => (await agent?.status())?.enabled === true;
  const { server, presence } = openPresence({ clock, opened, others });
  const base = { config, clock, opened, notifications, others };
  const gateway = recordCalls(await startGateway({ ...base, daemon, isAgentOn }), presence);
  let sweep: Sweep | null = null;
  let stopLocalMachine = async () => {};
  const web = await createWeb({ config, clock, opened, daemon, others });
  const modelCalls = createModelCalls(clock);
  const queueSettings = async () => (await settings.get()).values.queue;
  const voice = {
    clock,
    environment: config,
    hide: opened.scrubber.hide,
    warn: (sentence: string) => log.warn(sentence),
  };
  const parts = { ...base, gateway, transcribe: createTranscribe(voice), speech: createSpeech(voice) };
  const started = await startAgent({ ...parts, counted: modelCalls.counted, queueSettings });
  agent = started && recordMessages(started, presence);
  const inbound = openInbound({ ...parts, agent: agent?.agent ?? null });
  const { channels } = inbound;
  const owned = { gateway, notifications, ...inbound, threads: agent?.agent.threads ?? null };
  const people = managePeople({ ...opened, ...owned, onRemoved: () => sweep?.run() });
  const rooms = openRooms({ ...parts, server, agent, modelCalls, settings, presence, nodePush });
  const tailnet = config.rpc ? await createTailnetListener(parts) : null;
  const doors = { ...parts, people, web, rooms, ...inbound, panels, tailnet, agent: agent ?? undefined };
  const rpc = await addDoors(doors);
  const stops = [serveMetrics({ ...parts, web, agent, channels })];

  return {
    log,
    /** The core behind the doors. */
    gateway,
    /** Settings that change at run time. */
    settings,
    /** Null where `DISABLED_MODULES` names it. */
    agent: agent?.agent ?? null,
    /** The open port; 0 before `listen`. */
    port: web.port,
    /** The second port, of `RPC_PORT`; null without one. */
    rpcPort: web.rpcPort,
    /** The open port for the tailnet; undefined without one. */
    tailnetPort: () => tailnet?.port(),
    /** Every HTTP route, and the bytes that wait unread, for one user or for all. */
    ...web.measures,
    /** Opens the port and returns the origin of the server. Throws when the port is in use. */
    listen: async () => {
      await web.listen();
      await tailnet?.listen();
      lock.setUrl(address.url());
      const { forgetRemoved, forgetOld } = gateway.retention;
      const jobs = [forgetRemoved, forgetOld, createForgetExpired({ store, clock, log })];
      const old = [channels, notifications, agent?.agent, rpc, rooms.companions];
      for (const one of old) if (one) jobs.push(one.forgetOld);
      sweep = startSweep({ clock, jobs, onError });
      if (localFolder !== null)
        stopLocalMachine = startLocalMachine(localMachineNeeds(parts, localFolder, web.port)).stop;
      await channels.start();
      stops.push(rooms.ops.start());
      return address.url();
    },
    /** The link that creates the owner account; null when the account exists. */
    setupLink: async () =>
      (await accounts.setupNeeded()) ? `${address.url()}/setup#token=${setupToken}` : null,
    /** Tells daemons to reconnect later, answers open requests within 4 s, and releases everything. */
    close: async ({ drains }: Closing = { drains: false }) => {
      const done = evenWithoutStore(onError);
      await stopLocalMachine();
      for (const stop of stops) stop();
      await done(Promise.all([sweep?.stop(), channels.stop()]));
      const work = { clock, web, server: others.server, gateway, sockets: rpc, agent, onError };
      await stopServing({ ...work, boundMs: drains ? drainMs(config) : 0 });
      await done(gateway.stop());
      await done(rpc?.close());
      await Promise.all([web.close(), tailnet?.close(), done(others.close())]);
      await opened.close();
      lock.release();
    },
  };
};

export type App = Awaited<ReturnType<typeof createApp>>;
