import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hasCode } from '@drawbridge/kit';

/** What stands where a protected name must not be made: an empty folder, or a file that cannot be written. */
export interface StandIn {
  path: string;
  text?: string;
}

const users = new Map<string, { standIn: StandIn; count: number }>();

/** Whether a command that is at work has it: the next one counts on it too, so that it stays for both. */
export const isStandIn = (path: string): boolean => users.has(path);

/** Whether it is as it was made. */
export const isIntact = ({ path, text }: StandIn): boolean => {
  try {
    if (text === undefined) return readdirSync(path).length === 0;
    return lstatSync(path).isFile() && readFileSync(path, 'utf8') === text;
  } catch {
    // Gone, or something else.
    return false;
  }
};

/** Whether a command that is at work has it, and nothing was put there: the end of another one leaves it. */
export const isUsedStandIn = (path: string): boolean => {
  const used = users.get(path);
  return used !== undefined && isIntact(used.standIn);
};

const make = ({ path, text }: StandIn): boolean => {
  try {
    if (text === undefined) mkdirSync(path);
    else writeFileSync(path, text, { flag: 'wx', mode: 0o444 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    // Its folder vanished: bubblewrap does not find it either, and the command is prepared again.
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
};

/** Removes a stand-in that is as it was made; what somebody has put in its place stays. */
export const removeStandIn = (standIn: StandIn): void => {
  try {
    if (standIn.text === undefined) rmdirSync(standIn.path);
    else if (isIntact(standIn)) unlinkSync(standIn.path);
  } catch {
    // Gone, or no longer ours.
  }
};

type OfOthers = ReadonlyMap<string, StandIn>;

/** Makes the missing ones. Parallel commands share them, also with `others`; the last one removes them. */
export const makeStandIns = (
  wanted: StandIn[],
  others: OfOthers = new Map(),
): { made: StandIn[]; release(stillOfOthers?: OfOthers): void } => {
  const made: StandIn[] = [];
  const release = (stillOfOthers: OfOthers = new Map()) => {
    for (const standIn of made.splice(0).reverse()) {
      const count = (users.get(standIn.path)?.count ?? 1) - 1;
      if (count > 0) users.set(standIn.path, { standIn, count });
      else {
        users.delete(standIn.path);
        if (!stillOfOthers.has(standIn.path)) removeStandIn(standIn);
      }
    }
  };
  try {
    for (const standIn of wanted) {
      const isShared = users.has(standIn.path) || others.has(standIn.path);
      if (!make(standIn) && !isShared) continue;
      users.set(standIn.path, { standIn, count: (users.get(standIn.path)?.count ?? 0) + 1 });
      made.push(standIn);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { made, release };
};
