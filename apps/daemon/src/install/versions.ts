import { execFile } from 'node:child_process';
import { cp, constants, lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { releaseName, type Release } from '@drawbridge/contracts/release';
import { nanoid } from 'nanoid';
import { readRelease } from '../program/own-release.ts';
import { errors } from './errors.ts';
import { packageIn, programIn, type Places } from '../program/places.ts';

const run = promisify(execFile);

const startMs = 20_000;
/** A draft that is older was left behind by a process that ended. */
const draftMs = 60 * 60 * 1_000;

const releaseIn = (folder: string): Release | null => readRelease(join(packageIn(folder), 'package.json'));

const starts = async (folder: string, release: Release): Promise<boolean> => {
  try {
    const { stdout } = await run(process.execPath, [programIn(folder), '--version'], { timeout: startMs });
    return stdout.trim() === releaseName(release);
  } catch {
    return false;
  }
};

const removeOldDrafts = async (versions: string, nowMs: number): Promise<void> => {
  const drafts = (await readdir(versions)).filter((name) => name.startsWith('.new-'));
  for (const name of drafts) {
    const { mtimeMs } = await lstat(join(versions, name));
    if (nowMs - mtimeMs > draftMs) await rm(join(versions, name), { recursive: true, force: true });
  }
};

/** Copies a folder that npm has filled; on a file system that can, without copying the bytes. */
export const copyOf =
  (folder: string) =>
  (draft: string): Promise<void> =>
    cp(folder, draft, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });

export interface NewVersion {
  fill(draft: string): Promise<void>;
  /** What must be in it; left out where any release is welcome. */
  expected?: Release;
  nowMs: number;
}

/** Adds a release. Its folder gets its name only when complete and able to start. Throws `NOT_WHOLE`. */
export const addVersion = async (
  { versions }: Places,
  { fill, expected, nowMs }: NewVersion,
): Promise<Release> => {
  const there = expected && join(versions, releaseName(expected));
  if (there && (await starts(there, expected))) return expected;
  await mkdir(versions, { recursive: true, mode: 0o700 });
  await removeOldDrafts(versions, nowMs);
  const draft = join(versions, `.new-${nanoid(8)}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    await fill(draft);
    const release = releaseIn(draft);
    const isExpected = expected === undefined || (release && releaseName(release) === releaseName(expected));
    if (release === null || !isExpected || !(await starts(draft, release))) throw errors.notWhole();
    const folder = join(versions, releaseName(release));
    // One of that name that does not start, or that a build without a hash had.
    if (!(await starts(folder, release))) {
      await rm(folder, { recursive: true, force: true });
      await rename(draft, folder);
    }
    return release;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** Puts a link in the place of what is there, in one step. */
export const putLink = async (path: string, target: string): Promise<void> => {
  const draft = `${path}.new-${nanoid(8)}`;
  await symlink(target, draft);
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

/** The name of the release that is used; null where none is installed. */
export const currentName = async ({ versions }: Places): Promise<string | null> => {
  try {
    return basename(await readlink(join(versions, 'current')));
  } catch {
    return null;
  }
};

export const currentRelease = (places: Places): Release | null => releaseIn(join(places.versions, 'current'));

export const useVersion = ({ versions }: Places, release: Release): Promise<void> =>
  putLink(join(versions, 'current'), releaseName(release));

/** Removes all releases but those named: what runs must find its files. */
export const removeOthers = async ({ versions }: Places, kept: readonly string[]): Promise<void> => {
  for (const name of await readdir(versions)) {
    if (name === 'current' || name.startsWith('.') || kept.includes(name)) continue;
    await rm(join(versions, name), { recursive: true, force: true });
  }
};
