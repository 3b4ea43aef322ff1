import { relative } from 'node:path';
import { changedSinceText, maxUndoneCalls } from '@drawbridge/contracts/machines/undo-change';
import { z } from 'zod';
import {
  digestAt,
  findChanges,
  joinChanges,
  type JoinedChange,
  type JoinedFile,
} from '../../../kept/index.ts';
import { counted } from '../../../text/words.ts';
import { errors } from '../../common/errors.ts';
import type { ToolContext } from '../../common/tool.ts';

const id = z.string().max(200);

export const input = z.strictObject({
  change: id
    .optional()
    .describe('The id of the call whose change is undone; your newest change when left out'),
  changes: z
    .array(id)
    .min(1)
    .max(maxUndoneCalls)
    .optional()
    .describe('The ids of several calls, undone together from the newest to the oldest'),
  evenIfChanged: z
    .boolean()
    .optional()
    .describe('Also undo where a file has changed again since; what it holds now is replaced'),
});
export type Wanted = z.infer<typeof input>;

export interface Undoing extends JoinedChange {
  /** Calls of which nothing is kept. */
  missing: number;
}

const ownCaller = '';

const find = async ({ root, caller, privateFolder }: ToolContext, wanted: Wanted): Promise<Undoing> => {
  const { change, changes = [] } = wanted;
  const requestIds = [...new Set([...changes, ...(change === undefined ? [] : [change])])];
  const whose = requestIds.length === 0 ? { caller: caller?.id ?? ownCaller } : { requestIds };
  const found = await findChanges(privateFolder, { root, ...whose });
  const joined = joinChanges(found);
  if (joined.files.length === 0) throw errors.notKept();
  return { ...joined, missing: Math.max(0, requestIds.length - found.length) };
};

const sought = new WeakMap<Wanted, Promise<Undoing>>();

/** What is to be undone, looked up once for each call. Throws `notKept`. */
export const requireUndoing = (context: ToolContext, wanted: Wanted): Promise<Undoing> => {
  const known = sought.get(wanted) ?? find(context, wanted);
  sought.set(wanted, known);
  return known;
};

/** The files that do not hold what the calls left, or that something else changed between two of them. */
const changedSince = async (context: ToolContext, { files }: JoinedChange): Promise<JoinedFile[]> => {
  const found = await Promise.all(
    files.map(async (file) => [file, await digestAt(file.path, context)] as const),
  );
  return found.filter(([{ after, isMixed }, now]) => isMixed || now !== after).map(([file]) => file);
};

const maxNamed = 3;

const named = ({ root }: ToolContext, files: readonly JoinedFile[]): string => {
  const names = files.slice(0, maxNamed).map(({ path }) => relative(root, path));
  const others = files.length - names.length;
  return names.join(', ') + (others > 0 ? ` and ${counted(others, 'more file')}` : '');
};

/** The names of files that have changed since, null for none. Throws `changedSince` without a second yes. */
export const mustBeAsLeft = async (
  context: ToolContext,
  undoing: JoinedChange,
  wanted: Wanted,
): Promise<string | null> => {
  const changed = await changedSince(context, undoing);
  if (changed.length === 0) return null;
  const names = named(context, changed);
  if (wanted.evenIfChanged !== true) throw errors.changedSince({ message: `${changedSinceText}: ${names}` });
  return names;
};
