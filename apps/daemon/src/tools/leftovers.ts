export { removeHalfWritten } from './filesystem/half-written.ts';
export { endTree } from './shell/process-tree.ts';
