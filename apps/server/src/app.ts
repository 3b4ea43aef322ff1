import type { Agent } from '@drawbridge/agent';
import { createForgetExpired } from './auth/index.ts';
import { daemonFile } from './built-files.ts';
import { addDoors } from './compose/add-doors.ts';
import { createWeb } from './compose/create-web.ts';
import { managePeople } from './compose/manage-people.ts';
import { openAccounts, type AppNeeds } from './compose/open-accounts.ts';
import { startAgent } from './compose/start-agent.ts';
import { startGateway } from './compose/start-gateway.ts';
import { startSweep, type Sweep } from './compose/sweep.ts';
import { takeFolder, type FolderLock } from './db/index.ts';
import { folderInUse } from './folder-in-use.ts';
import type { Gateway } from './gateway/index.ts';
import { readDaemonPackage, type HttpRoute } from './http/index.ts';
import type { Logger } from './log.ts';

export interface App {
  log: Logger;
  /** The core behind the doors. */
  gateway: Gateway;
  /** Null where `DISABLED_MODULES` names it. */
  agent: Agent | null;
  /** Opens the port and returns the origin of the server. Throws when the port is in use. */
  listen(): Promise<string>;
  /** The open port; 0 before `listen`. */
  port(): number;
  /** Every HTTP route. */
  routes(): readonly HttpRoute[];
  /** The link that creates the owner account; null when the account exists. */
  setupLink(): Promise<string | null>;
  /** Tells daemons to reconnect later, answers open requests within 4 s, and releases everything. */
  close(): Promise<void>;
}

/** Locks the data folder. Throws `dataFolderInUse`, which names the server that has it. */
const lockFolder = (dataDir: string): FolderLock => {
  const taken = takeFolder(dataDir);
  if (taken.kind === 'taken') return taken.lock;
  throw folderInUse(dataDir, taken.holder);
};

/** Assembles the server. Throws `dataFolderInUse` while another server has the data folder. */
export const createApp = async (needs: AppNeeds): Promise<App> => {
  const lock = lockFolder(needs.config.dataDir);
  try {
    return await assemble(needs, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
};

const assemble = async (needs: AppNeeds, lock: FolderLock): Promise<App> => {
  const { config, clock } = needs;
  const opened = await openAccounts(needs);
  const { log, onError, address, store, accounts, setupToken } = opened;
  const daemon = await readDaemonPackage(config.daemonFile ?? daemonFile);
  const gateway = await startGateway({ config, clock, opened, daemon });
  let sweep: Sweep | null = null;
  const people = managePeople({ ...opened, gateway, onRemoved: () => sweep?.run() });
  const web = await createWeb({ config, clock, opened, daemon });
  const agent = await startAgent({ config, clock, opened, gateway });
  await addDoors({ config, clock, opened, gateway, people, web, agent: agent ?? undefined });

  return {
    log,
    gateway,
    agent: agent?.agent ?? null,
    port: web.port,
    routes: web.routes,
    listen: async () => {
      await web.server.listen({ host: config.host, port: config.port });
      address.listening(web.port());
      lock.setUrl(address.url());
      const { forgetRemoved, forgetOld } = gateway.retention;
      const jobs = [forgetRemoved, forgetOld, createForgetExpired({ store, clock, log })];
      if (agent) jobs.push(agent.agent.forgetOld);
      sweep = startSweep({ clock, jobs, onError });
      return address.url();
    },
    setupLink: async () =>
      (await accounts.setupNeeded()) ? `${address.url()}/setup#token=${setupToken}` : null,
    close: async () => {
      await sweep?.stop();
      await agent?.stop();
      await gateway.stop();
      await web.close();
      await opened.close();
      lock.release();
    },
  };
};
