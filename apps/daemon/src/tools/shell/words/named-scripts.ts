import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { ToolContext } from '../../common/tool.ts';
import { locate } from '../../common/access.ts';
import { openForReading } from '../../../paths/open.ts';

const interpreters = new Set(
  'sh bash dash zsh ksh ash fish node deno bun tsx python python3 perl ruby php lua awk gawk sed make source .'.split(
    ' ',
  ),
);
const maxWords = 200;
const maxBytes = 4 * 1024 * 1024;
const separators = /[\s;&|()<>'"`=]+/;
const programs = /[;&|()\n`]/;

const nameOf = (word: string) => word.slice(word.lastIndexOf('/') + 1);

/** Where a command would run, and its text. */
interface Place {
  folder: string;
  text: string;
}

/** Words that may name a script: what a command starts with, and what follows an interpreter. */
const candidates = (text: string): string[] =>
  text.split(programs).flatMap((part) => {
    const words = part.split(separators).filter((word) => word !== '');
    const first = words.findIndex((word) => interpreters.has(nameOf(word)));
    const named = first === -1 ? words : words.slice(first + 1);
    return named.filter((word) => first !== -1 || word.includes('/'));
  });

const scriptWords = (text: string): string[] => [...new Set(candidates(text))].slice(0, maxWords);

/** A digest of a file's content, or of a large file's inode and times; undefined for other kinds. */
export const digestFile = (path: string): string | undefined => {
  const opened = openForReading(path);
  try {
    const stats = fstatSync(opened.fd, { bigint: true });
    if (!stats.isFile()) return undefined;
    if (stats.size > maxBytes) return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    const bytes = Buffer.alloc(Number(stats.size));
    readSync(opened.fd, bytes, 0, bytes.length, 0);
    return createHash('sha256').update(bytes).digest('hex');
  } finally {
    closeSync(opened.fd);
  }
};

const digestOf = (context: ToolContext, folder: string, word: string): string[] => {
  try {
    const place = locate(context, word.startsWith('/') ? word : `${folder}/${word}`, { access: 'read' });
    if (place.kind !== 'file') return [];
    const digest = digestFile(place.path);
    return digest === undefined ? [] : [`${place.path} ${digest}`];
  } catch {
    // No path in the root that could be opened: nothing that a call could have changed.
    return [];
  }
};

/** Whether a word names a file of the root whose content `fingerprintOfScripts` compares. */
export const isComparedScript = (context: ToolContext, { folder, text }: Place, word: string): boolean =>
  scriptWords(text).includes(word) && digestOf(context, folder, word).length > 0;

/**
 * A digest of the scripts in the root that a command names (`./build.sh`, `node build.js`), or undefined.
 * A permission for the command holds as long as they are the same; what they start is not inspected.
 */
export const fingerprintOfScripts = (context: ToolContext, { folder, text }: Place): string | undefined => {
  const digests = scriptWords(text).flatMap((word) => digestOf(context, folder, word));
  return digests.length === 0
    ? undefined
    : createHash('sha256').update(digests.sort().join('\n')).digest('hex');
};
