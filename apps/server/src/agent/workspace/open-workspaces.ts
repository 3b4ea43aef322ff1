import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WorkspacePort } from '@drawbridge/agent';
import { workspaceProgram } from '@drawbridge/contracts/agent/workspace';
import type { Clock } from '@drawbridge/kit';
import type { Container } from './container.ts';
import { workspaceLimits, type WorkspaceLimits } from './limits.ts';
import { probe } from './probe.ts';
import { createWorkspaces } from './workspaces.ts';

const runFile = promisify(execFile);

export interface Opening {
  dataDir: string;
  /** The program that runs in a workspace: one file. */
  program: string;
  clock: Clock;
  limits?: WorkspaceLimits;
  bwrapPlaces?: readonly string[];
  /** The store has several servers. */
  hasOthers?: boolean;
}

/** `problem`: why workspaces are not offered, in a sentence for the owner. */
export type Workspaces = { port: WorkspacePort; problem: null } | { port: null; problem: string | null };

const usualPlaces = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const without = (reason: string): Workspaces => ({
  port: null,
  problem: `Workspaces are not offered: ${reason}.`,
});

/** What the program says of itself; it is our own, and reads nothing here. */
const describe = async (program: string) => {
  const { stdout } = await runFile(process.execPath, [program, 'describe'], { env: {} });
  return workspaceProgram.parse(JSON.parse(stdout));
};

const open = async (needs: Opening): Promise<Workspaces> => {
  const { dataDir, program, clock, limits = workspaceLimits, bwrapPlaces = usualPlaces } = needs;
  if (needs.hasOthers) return without('their folders are on one server, and the store has several');
  if (process.platform !== 'linux') return without('they need Linux');
  const bwrap = bwrapPlaces.find(isExecutable);
  if (bwrap === undefined) return without('bubblewrap is not installed (Debian: apt install bubblewrap)');
  const { tools, filter } = await describe(program);
  if (filter === null) return without(`there is no filter of system calls for ${process.arch}`);
  const container: Container = {
    bwrap,
    node: realpathSync(process.execPath),
    program,
    filter: Buffer.from(filter, 'base64'),
    limits,
  };
  const base = join(dataDir, 'workspaces');
  await mkdir(base, { recursive: true, mode: 0o700 });
  const reason = await probe(container, clock, base);
  if (reason !== null) return without(reason);
  return { port: createWorkspaces({ container, tools, base, clock }), problem: null };
};

/** Workspaces, where a trial shows that a container keeps what it promises. */
export const openWorkspaces = async (needs: Opening): Promise<Workspaces> => {
  try {
    return await open(needs);
  } catch (error) {
    return without(error instanceof Error ? error.message.slice(0, 300) : 'the trial failed');
  }
};
