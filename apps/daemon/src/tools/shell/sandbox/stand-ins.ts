import { lstatSync, mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { hasCode } from '@drawbridge/kit';

/** What stands where a protected name must not be made: an empty folder, or a file that cannot be written. */
export interface StandIn {
  path: string;
  text?: string;
}

const users = new Map<string, number>();

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
export const removeStandIn = ({ path, text }: StandIn): void => {
  try {
    if (text === undefined) rmdirSync(path);
    else if (lstatSync(path).isFile() && readFileSync(path, 'utf8') === text) unlinkSync(path);
  } catch {
    // Gone, or no longer ours.
  }
};

/** Makes the missing ones. Parallel commands share them; the last one removes them. */
export const makeStandIns = (wanted: StandIn[]): { made: StandIn[]; release(): void } => {
  const made: StandIn[] = [];
  const release = () => {
    for (const standIn of made.splice(0).reverse()) {
      const left = (users.get(standIn.path) ?? 1) - 1;
      if (left > 0) users.set(standIn.path, left);
      else {
        users.delete(standIn.path);
        removeStandIn(standIn);
      }
    }
  };
  try {
    for (const standIn of wanted) {
      const isShared = users.has(standIn.path);
      if (!make(standIn) && !isShared) continue;
      users.set(standIn.path, (users.get(standIn.path) ?? 0) + 1);
      made.push(standIn);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { made, release };
};
