import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { noPlaces, type ProtectedPlaces } from './protected-places.ts';
import type { StandIn } from './stand-ins.ts';
import { isRunning } from '../../../processes/process-tree.ts';
import { readQuietly } from '../../../program/quiet-files.ts';
import { parseJson } from '../../../text/parse-json.ts';

const record = z.object({
  pid: z.number(),
  instance: z.string(),
  root: z.string(),
  kept: z.array(z.tuple([z.string(), z.string().nullable()])),
  repositories: z.array(z.object({ folder: z.string(), kind: z.enum(['whole', 'worktree']) })),
  unseen: z.array(z.string()),
  named: z.array(z.string()).default([]),
  standIns: z.array(z.object({ path: z.string(), text: z.string().optional() })),
  folders: z.array(z.string()),
});

/** The clean-up after a command: done by the next daemon when this one does not live to do it. */
export interface Pending {
  root: string;
  before: ProtectedPlaces;
  standIns: StandIn[];
  /** Folders of the command's own: the first holds a new repository. */
  folders: string[];
}

const prefix = 'shell-pending-';
/** At the end of the name while its command no longer counts on its stand-ins. */
const endingSuffix = '.ending.json';
/** A process that starts again may get the number that it had. */
const instance = nanoid();

const isAtWork = (other: { pid: number; instance: string }): boolean =>
  other.pid === process.pid ? other.instance === instance : isRunning(other.pid);

/** The notes of this daemon. */
const ownNames = new Set<string>();

/** Writes it down; gives what says that the stand-ins are no longer needed, and what removes the note. */
export const writePending = (privateFolder: string, { root, before, standIns, folders }: Pending) => {
  const name = `${prefix}${nanoid()}`;
  let path = join(privateFolder, `${name}.json`);
  const text: z.infer<typeof record> = {
    pid: process.pid,
    instance,
    root,
    kept: [...before.kept].map(([place, link]) => [place, link ?? null]),
    repositories: [...before.repositories.values()],
    unseen: before.unseen,
    named: before.named,
    standIns,
    folders,
  };
  ownNames.add(name);
  // Whole from its first moment: another daemon removes what it cannot read.
  const draft = join(privateFolder, `draft-${name}`);
  writeFileSync(draft, JSON.stringify(text), { flag: 'wx', mode: 0o600 });
  renameSync(draft, path);
  return {
    leaveStandIns: () => {
      const ending = join(privateFolder, name + endingSuffix);
      renameSync(path, ending);
      path = ending;
    },
    remove: () => {
      rmSync(path, { force: true });
      ownNames.delete(name);
    },
  };
};

const namesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(prefix)) : [];

/**
 * What commands of other daemons that live have in the place of missing names: daemons of one user share
 * the private folder. `ending`: also what they no longer count on.
 */
export const standInsOfOthers = (privateFolder: string, { ending }: { ending: boolean }) =>
  new Map(
    namesIn(privateFolder)
      .filter((name) => !ownNames.has(name.replace(/\..*$/, '')) && (ending || !name.endsWith(endingSuffix)))
      .flatMap((name) => {
        const pending = parseJson(record, readQuietly(join(privateFolder, name)));
        return pending !== undefined && isAtWork(pending) ? pending.standIns : [];
      })
      .map((standIn) => [standIn.path, standIn]),
  );

/** What commands of a daemon that was killed left to do; their notes are removed. */
export const consumePending = (privateFolder: string): Pending[] =>
  namesIn(privateFolder).flatMap((name): Pending[] => {
    const path = join(privateFolder, name);
    const pending = parseJson(record, readQuietly(path));
    if (pending !== undefined && isAtWork(pending)) return [];
    rmSync(path, { force: true });
    if (pending === undefined) return [];
    const before: ProtectedPlaces = {
      ...noPlaces(),
      kept: new Map(pending.kept.map(([place, link]) => [place, link ?? undefined])),
      repositories: new Map(pending.repositories.map((one) => [one.folder, one])),
      unseen: pending.unseen,
      named: pending.named,
      pipes: [],
    };
    return [{ root: pending.root, before, standIns: pending.standIns, folders: pending.folders }];
  });
