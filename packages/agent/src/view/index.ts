export { liveOf, noLive, reduceLive, settleLive, type LiveText } from './live.ts';
export { emptyView, reduce, withOlder } from './reduce.ts';
export { openTasks, tree, type TreeNode } from './tree.ts';
