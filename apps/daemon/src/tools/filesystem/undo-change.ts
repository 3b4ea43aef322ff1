import { lstatSync, unlinkSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { HunkLine, Preview } from '@drawbridge/contracts/preview';
import { changedSinceText, undoTool } from '@drawbridge/contracts/machines/undo-change';
import { z } from 'zod';
import {
  contentBefore,
  digestAt,
  findChange,
  isNamed,
  type KeptChange,
  type KeptFile,
} from '../../kept/index.ts';
import { maxFileBytes, maxPathBytes } from '../../paths/limits.ts';
import { inParent } from '../../paths/open.ts';
import { putFile } from '../../paths/replace-file.ts';
import { syncFolder } from '../../private-files/private-folder.ts';
import { counted } from '../../text/words.ts';
import { locate, toResource } from '../common/access.ts';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool, type Resource, type RunContext, type ToolContext } from '../common/tool.ts';
import { writePreview } from './preview/file-preview.ts';
import { toText } from './text/decode-text.ts';

const input = z.strictObject({
  change: z
    .string()
    .max(200)
    .optional()
    .describe('The id of the call whose change is undone; your newest change when left out'),
  evenIfChanged: z
    .boolean()
    .optional()
    .describe('Also undo where a file has changed again since; what it holds now is replaced'),
});

type Wanted = z.infer<typeof input>;

const ownCaller = '';

/** Throws `notKept`. */
const requireChange = async (context: ToolContext, { change }: Wanted): Promise<KeptChange> => {
  const { root, caller, privateFolder } = context;
  const wanted = change === undefined ? { caller: caller?.id ?? ownCaller } : { requestId: change };
  const found = await findChange(privateFolder, { root, ...wanted });
  if (found === undefined) throw errors.notKept();
  return found;
};

/** The files that do not hold what the call left. */
const changedSince = async (context: ToolContext, { files }: KeptChange): Promise<KeptFile[]> => {
  const found = await Promise.all(
    files.map(async (file) => [file, await digestAt(file.path, context)] as const),
  );
  return found.filter(([{ after }, now]) => now !== after).map(([file]) => file);
};

const mustBeAsLeft = async (context: ToolContext, change: KeptChange, wanted: Wanted): Promise<boolean> => {
  const changed = await changedSince(context, change);
  if (changed.length > 0 && wanted.evenIfChanged !== true) {
    const names = changed.slice(0, 3).map(({ path }) => relative(context.root, path));
    throw errors.changedSince({ message: `${changedSinceText}: ${names.join(', ')}` });
  }
  return changed.length > 0;
};

/** The resources that the call was allowed to write, as they stand now. Throws `protectedPath`, `changed`. */
const resourcesOf = (context: ToolContext, { resources, files }: KeptChange): Resource[] =>
  resources
    .filter((one) => files.some(({ path }) => isNamed([one], path)))
    .map((one) => {
      const isTree = one.endsWith(sep);
      const place = locate(context, isTree ? one.slice(0, -1) : one, { access: 'write', last: 'keep' });
      if (place.kind === 'link' || place.kind === 'other') throw errors.notFile();
      return toResource({ access: 'write', last: 'keep', place, doing: 'Undo the change of', tree: isTree });
    });

const undoOne = async (context: RunContext, change: KeptChange, file: KeptFile): Promise<void> => {
  const place = locate(context, file.path, { access: 'write', last: 'keep' });
  const granted = context.granted.map(({ resource }) => resource);
  if (place.path !== file.path || !isNamed(granted, place.path)) throw errors.notGranted();
  const data = await contentBefore(change, file);
  if (data !== null && file.before !== null) {
    const { tag, root } = context;
    const pieces = async function* () {
      yield data;
    };
    return putFile(place.path, root, { tag, data: pieces(), mode: file.before.mode });
  }
  if (lstatSync(place.path, { throwIfNoEntry: false }) === undefined) return;
  await inParent(place.path, async (folder, name) => {
    unlinkSync(folder.entry(name));
    await syncFolder(folder.entry('.'));
  });
};

const maxListed = 100;

/** The files of a change as lines that come or go. */
const listOf = ({ root, reading }: ToolContext, { files, resources }: KeptChange): Preview => {
  const shown = files.filter(({ path }) => !reading.isDenied(path)).slice(0, maxListed);
  const lines: HunkLine[] = shown.map(({ path, before }) => {
    const size = before && `  ${before.bytes.toLocaleString('en')} bytes`;
    return { kind: before ? 'added' : 'removed', text: `${relative(root, path)}${size ?? ''}` };
  });
  const left = files.length - shown.length;
  if (left > 0) lines.push({ kind: 'omitted', of: 'added', lines: left, bytes: 0 });
  const added = files.filter(({ before }) => before !== null).length;
  const path = relative(root, resources[0] ?? root).slice(0, maxPathBytes);
  return { kind: 'diff', path, hunks: [{ lines }], added, removed: files.length - added };
};

export const undoChange = defineTool({
  name: undoTool,
  title: 'Undo change',
  description:
    'Undo what an earlier call of a file tool changed: files get back what they held, and those that it made are deleted. ' +
    'Kept for 7 days; what commands change is not kept.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async (wanted, context) => {
    const change = await requireChange(context, wanted);
    await mustBeAsLeft(context, change, wanted);
    return resourcesOf(context, change);
  },
  asks: async (wanted, resources, context) => {
    const change = await requireChange(context, wanted);
    const [file, second] = change.files;
    const name = resourcePath(
      context.root,
      second ? resources[0] : { ...resources[0]!, resource: file!.path },
    );
    const what = second ? `${counted(change.files.length, 'file')} of ${name}` : name;
    const since = (await mustBeAsLeft(context, change, wanted)) ? ', though it has changed again since' : '';
    if (!second && file?.before === null) return `Delete ${what} again${since}?`;
    return `Put back ${what} as ${second ? 'they were' : 'it was'} before${since}?`;
  },
  preview: async (wanted, context) => {
    const change = await requireChange(context, wanted);
    const [file, second] = change.files;
    if (second) return listOf(context, change);
    // A question is no way to what the caller may not read without one.
    if (!file || context.reading.mode(file.path) !== 'allow') return undefined;
    const before = await contentBefore(change, file);
    if (before === null || before.length > maxFileBytes || before.includes(0)) return undefined;
    const place = locate(context, file.path, { access: 'write', last: 'keep' });
    return writePreview(context, place, toText(before));
  },
  run: async (wanted, context) => {
    const change = await requireChange(context, wanted);
    await mustBeAsLeft(context, change, wanted);
    for (const file of change.files) await undoOne(context, change, file);
    return jsonResult({
      change: change.requestId,
      undone: change.files.map(({ path }) => relative(context.root, path)),
    });
  },
});
