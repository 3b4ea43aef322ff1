import { createForgetExpired } from './auth/index.ts';
import { daemonFile, daemonProgram } from './built-files.ts';
import { addDoors } from './compose/add-doors.ts';
import { createWeb } from './compose/create-web.ts';
import { readLocalFolder, startLocalMachine } from './compose/local-machine.ts';
import { managePeople } from './compose/manage-people.ts';
import { openAccounts, type AppNeeds } from './compose/open-accounts.ts';
import { startAgent } from './compose/start-agent.ts';
import { startGateway } from './compose/start-gateway.ts';
import { startSweep, type Sweep } from './compose/sweep.ts';
import { takeFolder, type FolderLock } from './db/index.ts';
import { folderInUse } from './folder-in-use.ts';
import { readDaemonPackage } from './http/index.ts';

/** Locks the data folder. Throws `dataFolderInUse`, which names the server that has it. */
const lockFolder = (dataDir: string): FolderLock => {
  const taken = takeFolder(dataDir);
  if (taken.kind === 'taken') return taken.lock;
  throw folderInUse(dataDir, taken.holder);
};

/** Assembles the server. Throws `dataFolderInUse` while another server has the data folder. */
export const createApp = async (needs: AppNeeds) => {
  const lock = lockFolder(needs.config.dataDir);
  try {
    return await assemble(needs, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
};

const assemble = async (needs: AppNeeds, lock: FolderLock) => {
  const { config, clock } = needs;
  const { localGatewayDir, dataDir } = config;
  const localFolder = localGatewayDir === null ? null : readLocalFolder(localGatewayDir, dataDir);
  const opened = await openAccounts(needs);
  const { log, onError, address, store, accounts, setupToken } = opened;
  const daemon = await readDaemonPackage(config.daemonFile ?? daemonFile);
  const gateway = await startGateway({ config, clock, opened, daemon });
  let sweep: Sweep | null = null;
  let stopLocalMachine = async () => {};
  const people = managePeople({ ...opened, gateway, onRemoved: () => sweep?.run() });
  const web = await createWeb({ config, clock, opened, daemon });
  const agent = await startAgent({ config, clock, opened, gateway });
  await addDoors({ config, clock, opened, gateway, people, web, agent: agent ?? undefined });

  return {
    log,
    /** The core behind the doors. */
    gateway,
    /** Null where `DISABLED_MODULES` names it. */
    agent: agent?.agent ?? null,
    /** The open port; 0 before `listen`. */
    port: web.port,
    /** Every HTTP route. */
    routes: web.routes,
    /** Opens the port and returns the origin of the server. Throws when the port is in use. */
    listen: async () => {
      await web.server.listen({ host: config.host, port: config.port });
      address.listening(web.port());
      lock.setUrl(address.url());
      const { forgetRemoved, forgetOld } = gateway.retention;
      const jobs = [forgetRemoved, forgetOld, createForgetExpired({ store, clock, log })];
      if (agent) jobs.push(agent.agent.forgetOld);
      sweep = startSweep({ clock, jobs, onError });
      if (localFolder !== null)
        stopLocalMachine = startLocalMachine({
          folder: localFolder,
          dataDir,
          program: daemonProgram,
          host: config.host,
          port: web.port,
          clock,
          gateway,
          ownerId: accounts.ownerId,
          log,
          onError,
        }).stop;
      return address.url();
    },
    /** The link that creates the owner account; null when the account exists. */
    setupLink: async () =>
      (await accounts.setupNeeded()) ? `${address.url()}/setup#token=${setupToken}` : null,
    /** Tells daemons to reconnect later, answers open requests within 4 s, and releases everything. */
    close: async () => {
      await stopLocalMachine();
      await sweep?.stop();
      await agent?.stop();
      await gateway.stop();
      await web.close();
      await opened.close();
      lock.release();
    },
  };
};

export type App = Awaited<ReturnType<typeof createApp>>;
