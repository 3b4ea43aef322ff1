/** Files beyond this are refused for read, search, write and edit. */
export const maxFileBytes = 512 * 1024;
/** From here on a file is read when few other large results are on their way. */
export const largeFileBytes = 64 * 1024;
export const maxPathBytes = 4_096;
export const maxNameBytes = 255;
/** How many links one path may lead through, as in Linux. */
export const maxLinks = 40;

export const defaultLines = 200;
export const defaultEntries = 200;
export const maxEntries = 10_000;
export const defaultDepth = 2;
export const maxDepth = 20;
/** A tree that grows beyond this is cut. */
export const maxTreeEntries = 2_000;
export const defaultMatches = 50;
export const maxMatches = 1_000;
/** A search for text reads no more files than this. */
export const maxSearchedFiles = 2_000;

/** Left out of trees and searches, in any letter case. */
export const excludedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  'dist',
  'build',
  'coverage',
  '__pycache__',
  '.venv',
  'venv',
  '.next',
  '.nuxt',
  '.cache',
  '.turbo',
]);

export const isExcluded = (name: string): boolean => excludedFolders.has(name.toLowerCase());
