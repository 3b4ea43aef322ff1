/** A part of a larger text file can be read, up to this. */
export const maxRangedBytes = 256 * 1024 * 1024;
/** From here on a file is read when few other large results are on their way. */
export const largeFileBytes = 64 * 1024;

export const defaultLines = 200;
export const defaultEntries = 200;
export const maxEntries = 10_000;
export const defaultDepth = 2;
export const maxDepth = 20;
/** A tree that grows beyond this is cut. */
export const maxTreeEntries = 2_000;
export const defaultMatches = 50;
export const maxMatches = 1_000;
export const maxSearchedFiles = 2_000;
/** A search by name in a tree up to this is done in process; in a larger one by ripgrep. */
export const maxWalkedEntries = 4_000;
