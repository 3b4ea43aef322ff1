import { toolGroup, type ToolGroup } from '@drawbridge/contracts';
import { z } from 'zod';
import { commandWords } from './command-words.ts';
import type { Resource } from './resource.ts';

/** What the person settled: in an allow list it holds for exactly this, in a deny list for all that it may mean. */
export const rule = z.strictObject({ toolGroup, resource: z.string().min(1).max(200_000) });
export type Rule = z.infer<typeof rule>;

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** One spelling for all that a disk or an eye may take for the same: letter case, composed letters, invisible marks. */
export const fold = (text: string): string => text.normalize('NFKC').replace(invisible, '').toUpperCase().toLowerCase();

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
const isWithin = (path: string, folder: string) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** A path rule covers what lies below it; what touches a whole tree (a trailing `/`) also meets the rules inside it. */
const deniesPath = (denied: string, path: string, touchesTree: boolean): boolean => {
  const [rulePath, ownPath] = [withoutSlash(fold(denied)), withoutSlash(fold(path))];
  return isWithin(ownPath, rulePath) || (touchesTree && path.endsWith('/') && isWithin(rulePath, ownPath));
};

/** A command's text without the working folder in front, which `"<folder>" $ ` marks. */
const commandOf = (resource: string) => resource.replace(/^"(?:[^"\\]|\\.)*" \$ /, '');

const deniesCommand = (denied: string, command: string): boolean => {
  const wanted = commandWords(commandOf(denied));
  const found = commandWords(commandOf(command));
  return wanted.some((words) => found.some((own) => words.every((word, at) => own[at] === word)));
};

const meets = (denied: Rule, resource: Resource, text: string): boolean => {
  if (fold(denied.resource) === fold(text)) return true;
  switch (resource.toolGroup) {
    case 'filesystemRead':
      return deniesPath(denied.resource, text, false);
    case 'filesystemWrite':
      return deniesPath(denied.resource, text, true);
    case 'shell':
      return deniesCommand(denied.resource, text);
    case 'computer':
    case 'browser':
    case 'system':
      return false;
    default:
      return resource.toolGroup satisfies never;
  }
};

/** What may not be read may not be written either. */
const speaksFor = (group: ToolGroup, resource: Resource) =>
  group === resource.toolGroup || (group === 'filesystemRead' && resource.toolGroup === 'filesystemWrite');

/** Broad: the resource, its other spellings, and for commands the programs that it would start. */
export const isDenied = (denied: readonly Rule[], resource: Resource): boolean =>
  denied.some(
    (one) =>
      speaksFor(one.toolGroup, resource) &&
      [resource.resource, ...(resource.aliases ?? [])].some((text) => meets(one, resource, text)),
  );

/** Narrow: byte for byte what the person was shown. */
export const isAllowed = (allowed: readonly Rule[], resource: Resource): boolean =>
  allowed.some((one) => one.toolGroup === resource.toolGroup && one.resource === resource.resource);
