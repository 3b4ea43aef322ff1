import { words } from '../text/words.ts';

/** Files beyond this are refused for read, search, write and edit. */
export const maxFileBytes = 512 * 1024;
export const maxPathBytes = 4_096;
export const maxNameBytes = 255;
/** How many links one path may lead through, as in Linux. */
export const maxLinks = 40;

/** Left out of trees and searches, in any letter case. */
export const excludedFolders: ReadonlySet<string> = new Set(
  words('node_modules .git dist build coverage __pycache__ .venv venv .next .nuxt .cache .turbo'),
);

export const isExcluded = (name: string): boolean => excludedFolders.has(name.toLowerCase());
