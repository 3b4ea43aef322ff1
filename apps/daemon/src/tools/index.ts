export { allTools } from './all-tools.ts';
export { createDispatch, type Dispatch, type DispatchContext, type DispatchNeeds } from './dispatch.ts';
export { offeredTools, toolCategories } from './offered.ts';
export { type DaemonTool } from './tool.ts';
