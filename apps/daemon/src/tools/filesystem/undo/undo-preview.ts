import { relative } from 'node:path';
import type { HunkLine, Preview } from '@drawbridge/contracts/preview';
import { visible } from '@drawbridge/kit';
import { contentBefore, type JoinedFile } from '../../../kept/index.ts';
import { maxFileBytes, maxPathBytes } from '../../../paths/limits.ts';
import { readBytes } from '../../../paths/read-bytes.ts';
import { counted } from '../../../text/words.ts';
import { locate } from '../../common/access.ts';
import type { ToolContext } from '../../common/tool.ts';
import { filesPreview, type FileChange } from '../preview/change-preview.ts';
import { writePreview } from '../preview/file-preview.ts';
import { toText } from '../text/decode-text.ts';
import type { Undoing } from './undoing.ts';

const maxListed = 100;

/** The text before, empty for none; undefined for what is no text or too large. */
const textBefore = async (file: JoinedFile): Promise<string | undefined> => {
  const bytes = await contentBefore(file);
  if (bytes === null) return '';
  return bytes.length > maxFileBytes || bytes.includes(0) ? undefined : toText(bytes);
};

const textNow = async ({ privateFolder }: ToolContext, path: string): Promise<string | undefined> => {
  const bytes = await readBytes(path, privateFolder);
  return bytes.length > maxFileBytes || bytes.includes(0) ? undefined : toText(bytes);
};

/** A question is no way to what the caller may not read without one. */
const mayShow = ({ reading }: ToolContext, { path }: JoinedFile) => reading.mode(path) === 'allow';

const changeOf = async (context: ToolContext, file: JoinedFile): Promise<FileChange['change']> => {
  if (!mayShow(context, file)) return null;
  const place = locate(context, file.path, { access: 'write', last: 'keep' });
  const now = place.kind === 'missing' ? '' : await textNow(context, file.path);
  const before = await textBefore(file);
  return now === undefined || before === undefined ? null : { before: now, after: before };
};

const noteOf = ({ before }: JoinedFile, name: string): HunkLine => {
  const size = before && `  ${before.bytes.toLocaleString('en')} bytes`;
  return { kind: before ? 'added' : 'removed', text: `${name}${size ?? ''}` };
};

/** The changes back, file by file. */
const ofFiles = async (context: ToolContext, { files, resources }: Undoing): Promise<Preview> => {
  const { root, reading } = context;
  const shown = files.filter(({ path }) => !reading.isDenied(path)).slice(0, maxListed);
  const changes = await Promise.all(
    shown.map(async (file): Promise<FileChange> => {
      // A name with a line feed must not look like a line.
      const path = visible(relative(root, file.path)).slice(0, maxPathBytes);
      const change = await changeOf(context, file).catch(() => null);
      return { path, change, note: noteOf(file, path) };
    }),
  );
  const where =
    resources.length === 1
      ? relative(root, resources[0] ?? root).slice(0, maxPathBytes)
      : counted(files.length, 'file');
  const preview = await filesPreview(where, changes);
  const left = files.length - shown.length;
  if (left === 0) return preview;
  const rest: HunkLine = { kind: 'omitted', of: 'added', lines: left, bytes: left };
  return { ...preview, hunks: [...preview.hunks, { lines: [rest] }] };
};

export const undoPreview = async (context: ToolContext, undoing: Undoing): Promise<Preview | undefined> => {
  const [file, second] = undoing.files;
  if (second) return ofFiles(context, undoing);
  if (!file || !mayShow(context, file) || file.before === null) return undefined;
  const before = await textBefore(file);
  if (before === undefined) return undefined;
  return writePreview(context, locate(context, file.path, { access: 'write', last: 'keep' }), before);
};
