export { allTools } from './all-tools.ts';
export { createDispatch } from './dispatch.ts';
export { offeredTools, toolCategories } from './offered.ts';
