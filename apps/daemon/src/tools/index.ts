export { allTools } from './all-tools.ts';
export { createDispatch } from './dispatch.ts';
export { removeHalfWritten } from './filesystem/half-written.ts';
export { offeredTools, toolCategories } from './offered.ts';
export { endTree } from './shell/process-tree.ts';
