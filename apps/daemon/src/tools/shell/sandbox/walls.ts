import { mkdtempSync, realpathSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { removeTree } from '@drawbridge/kit/node';
import type { DeniedPaths } from '../../../permission/index.ts';
import { closedBy, isWithin, type Territory } from '../../../paths/protected.ts';
import { findProgram } from '../../../paths/programs.ts';
import { broughtNodeFolder } from '../../../program/places.ts';
import { realPathOf } from '../../../program/quiet-files.ts';
import { errors } from '../../common/errors.ts';
import { bubblewrapArguments, temporaryInside } from './bubblewrap.ts';
import { pipeCoversOf } from './covers.ts';
import { lendSettings } from './git/lent-settings.ts';
import { holdPlaces, sayReplaced, type HeldPlaces } from './held-places.ts';
import { readConfigs, restoreConfigs } from './kept-configs.ts';
import { makeRepositoryFolder, settleRepository, withoutRepository } from './new-repository.ts';
import { consumePending, standInsOfOthers, writePending } from './pending.ts';
import {
  canWrite,
  findProtectedPlaces,
  isThere,
  standInsFor,
  type ProtectedPlaces,
} from './protected-places.ts';
import { sweepAfter, type Left } from './set-aside.ts';
import { isStandIn, makeStandIns, removeStandIn, type StandIn } from './stand-ins.ts';
import { shellEnvironment } from '../config.ts';
import { safeGlobalSettings } from './visible/git-settings.ts';
import { ignoreStandIns } from './visible/stand-in-patterns.ts';
import { etcMounts, systemMounts } from './visible/system.ts';
import { findVisible, type VisibleNeeds } from './visible/visible-places.ts';

/** Named pipes and sockets in the root: each is covered by a mount. */
const maxPipes = 200;

export interface Built {
  arguments: string[];
  variables: Record<string, string>;
  /** Whether no wall that was looked at has come off; looks at some more of them. */
  areIntact(): boolean;
  /** To be called when the command has ended. */
  release(): Promise<Left>;
}

const makeOwnFolder = (): string => mkdtempSync(join(realpathSync(tmpdir()), 'drawbridge-walls-'));

/** The first name on the way to a path that is not there, for a path in the root. */
const firstMissing = (path: string, root: string): string[] => {
  const isMissing = (one: string) => isStandIn(one) || !isThere(one);
  if (!isMissing(path) || !isWithin(path, root) || path === root) return [];
  let at = path;
  while (isMissing(dirname(at))) at = dirname(at);
  return [at];
};

const realIn = (path: string, root: string): string[] => {
  const real = realPathOf(path);
  return real !== undefined && isWithin(real, root) ? [real] : [];
};

/** A sentence where a folder of a command's own cannot be removed. */
export const removeFolder = async (folder: string): Promise<string[]> => {
  try {
    await removeTree(folder);
    return [];
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return [`The temporary folder ${folder} could not be removed (${reason}).`];
  }
};

const wholeIsClosed =
  'The folder has more folders, or more protected files, than can be watched: commands only read it until some are deleted, with the delete tool or by the user.';

/** What commands share that run at once in one root. */
interface Shared {
  running: Map<ProtectedPlaces, HeldPlaces | undefined>;
  repository?: { folder: string; parent: string; users: number };
  settling?: Promise<unknown>;
}

/** Where a command was at work, the others know only what was there before it. */
const forgetNew = (shared: Shared, { kept, repositories }: ProtectedPlaces): void => {
  for (const [other, held] of shared.running) {
    for (const path of other.kept.keys()) {
      if (kept.has(path)) continue;
      other.kept.delete(path);
      // The end of this command may replace it, and that of the other one looks at it as new.
      held?.forget(path);
    }
    for (const path of other.repositories.keys())
      if (!repositories.has(path)) other.repositories.delete(path);
  }
};

/** A `.git` that is not there, or empty: what another daemon has at work, or a killed one may have left. */
const hasNoRepository = ({ root, privateFolder }: Territory): boolean => {
  const path = join(root, '.git');
  if (standInsOfOthers(privateFolder, { ending: false }).has(path)) return true;
  try {
    rmdirSync(path);
  } catch {
    // Not there, or not empty.
  }
  return !isThere(path);
};

/** A folder in place of a missing `.git`: what is made there moves into the root when it is safe. */
const borrowRepository = async (territory: Territory, shared: Shared): Promise<string | undefined> => {
  await shared.settling;
  if (shared.repository === undefined) {
    if (!canWrite(territory.root) || !hasNoRepository(territory)) return undefined;
    const parent = makeOwnFolder();
    shared.repository = { folder: makeRepositoryFolder(parent), parent, users: 0 };
  }
  shared.repository.users += 1;
  return shared.repository.folder;
};

const returnRepository = async (root: string, shared: Shared): Promise<string[]> => {
  const own = shared.repository;
  if (own === undefined || (own.users -= 1) > 0) return [];
  delete shared.repository;
  const settled = settleRepository(own.folder, root);
  shared.settling = settled.catch(() => undefined);
  const { notes, stays } = await settled;
  return stays ? notes : [...notes, ...(await removeFolder(own.parent))];
};

interface Given {
  /** Arguments for caches of package tools. */
  caches: string[];
  deniedPaths: DeniedPaths;
  signal: AbortSignal;
  temporary: string;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

interface Around extends Pick<Given, 'deniedPaths' | 'temporary'> {
  own: string;
  standIns: string[];
  before: ProtectedPlaces;
}

/** What a command reads beside the root; `own`: the folder for what is made for it. */
const lookAround = async (needs: VisibleNeeds, { deniedPaths, own, standIns, temporary, before }: Around) => {
  const { root, privateFolder } = needs;
  const home = homedir();
  const path = shellEnvironment(root).PATH;
  const { opened, links, closed } = findVisible(needs, path);
  const program = findProgram('git', path);
  const git = await safeGlobalSettings(program, root);
  const inside = temporaryInside(root, temporary);
  const lent = lendSettings(
    {
      root,
      temporary,
      inside,
      git: program,
      closed: [...closedBy(needs), ...deniedPaths.write, ...before.unseen],
    },
    before.repositories.values(),
  );
  const ignored = git.ignored !== undefined && isFile(git.ignored) ? git.ignored : undefined;
  const { settings, files } = ignoreStandIns({ root, home, ignored, standIns });
  const made = [{ place: join(home, '.gitconfig'), text: git.text + settings + lent.text }, ...files]
    .filter(({ place }) => !isWithin(place, root) || isThere(place))
    .map(({ place, text }) => {
      const file = join(own, basename(place));
      writeFileSync(file, text, { mode: 0o444 });
      return { place, file };
    });
  return {
    opened,
    links,
    system: [
      ...systemMounts(),
      ...etcMounts(privateFolder, [root, ...opened]),
      ...(isWithin(home, root) ? [] : ['--dir', home]),
    ],
    hidden: [...closed, ...closedBy(needs), ...deniedPaths.read],
    // This program runs with the first where the machine's own Node is too old.
    shown: [broughtNodeFolder(privateFolder), ...(ignored === undefined ? [] : [ignored])],
    made,
    lent,
  };
};

const inspect = async (
  territory: Territory,
  { signal, limit }: Pick<Given, 'signal'> & { limit?: number | undefined },
) => {
  const before = await findProtectedPlaces(territory, { signal, limit });
  if (before.pipes.length > maxPipes) throw errors.tooManyPipes();
  return { before, configs: await readConfigs(before) };
};

/** Builds the walls for the commands of one root. `limit`: folders that are looked into before each. */
export const createWalls = (given: VisibleNeeds, limit?: number) => {
  const { root, privateFolder } = given;
  const shared: Shared = { running: new Map() };

  const build = async (command: Given): Promise<Built> => {
    const { deniedPaths, signal, temporary } = command;
    // One look for all of it.
    const closed = given.closedFolders?.() ?? [];
    const territory = { ...given, closedFolders: () => closed };
    // Before the look: the end of another command may move a repository to `.git`, which the look then finds.
    const repository = await borrowRepository(given, shared);
    const giveBack = async () => (repository === undefined ? [] : returnRepository(root, shared));
    const { before, configs } = await inspect(territory, { signal, limit }).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    const own = makeOwnFolder();
    const emptyFile = join(own, 'empty');
    writeFileSync(emptyFile, '', { mode: 0o444 });
    const denied = [...deniedPaths.read, ...deniedPaths.write];
    const place = join(root, '.git');
    const wanted: StandIn[] = [
      ...standInsFor(root, before, standInsOfOthers(privateFolder, { ending: false })),
      ...(repository === undefined ? [] : [{ path: place }]),
      ...denied.flatMap((path) => firstMissing(path, root)).map((path) => ({ path, text: '' })),
    ];
    const folders = [...(repository === undefined ? [] : [dirname(repository)]), own, temporary];
    const pending = writePending(privateFolder, { root, before, standIns: wanted, folders });
    // Read after the note is there: a daemon that ends a command meanwhile sees it, or is seen here.
    const standIns = makeStandIns(wanted, standInsOfOthers(privateFolder, { ending: true }));
    shared.running.set(before, undefined);
    const made = wanted.map(({ path }) => path).filter((path) => path !== place);
    // Before the wait: the end of another command takes what that one has made out of `before`.
    const kept = [
      ...[...before.kept].flatMap(([path, link]) => (link === undefined ? [path] : realIn(path, root))),
      ...before.unseen,
      ...made,
      ...[...closedBy(territory), ...deniedPaths.write].flatMap((path) => realIn(path, root)),
    ].filter((path) => repository === undefined || !isWithin(path, place));
    const { lent, ...around } = await lookAround(territory, {
      deniedPaths,
      own,
      standIns: made,
      temporary,
      before,
    });
    const walls = bubblewrapArguments({
      root,
      temporary,
      ...around,
      pipes: pipeCoversOf(root, before.pipes),
      kept,
      caches: command.caches,
      instead: repository === undefined ? [] : [{ place, folder: repository }],
      emptyFile,
    });
    const held = holdPlaces(walls.held);
    shared.running.set(before, held);
    return {
      arguments: walls.arguments,
      variables: { ...lent.variables, ...(repository !== undefined && withoutRepository) },
      areIntact: held.areIntact,
      release: async () => {
        shared.running.delete(before);
        const replaced = held.replaced();
        const restored = restoreConfigs(replaced, root, configs);
        const added = lent.collect(replaced);
        pending.leaveStandIns();
        standIns.release(standInsOfOthers(privateFolder, { ending: false }));
        const made = await giveBack();
        forgetNew(shared, before);
        const left = await sweepAfter(territory, before);
        forgetNew(shared, before);
        const kept = await removeFolder(own);
        pending.remove();
        const whole = before.unseen.includes(root) ? [wholeIsClosed] : [];
        const notes = [sayReplaced(root, replaced), restored, added, made, left.notes, whole, kept].flat();
        return { ...left, notes };
      },
    };
  };

  return { build };
};

export const clearPending = async ({ privateFolder }: Territory): Promise<void> => {
  for (const { root, before, standIns, folders } of consumePending(privateFolder)) {
    const others = standInsOfOthers(privateFolder, { ending: false });
    for (const standIn of standIns.toReversed()) if (!others.has(standIn.path)) removeStandIn(standIn);
    const made = join(folders[0] ?? '', 'git');
    const { stays } = await settleRepository(made, root);
    await sweepAfter({ root, privateFolder }, before);
    for (const folder of stays ? folders.slice(1) : folders) await removeFolder(folder);
  }
};
