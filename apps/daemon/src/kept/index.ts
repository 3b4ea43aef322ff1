export type { KeptChange, KeptFile } from './change-file.ts';
export { digestAt } from './copy-files.ts';
export { createKeeper, isNamed, type Keeper, type KeeperNeeds } from './keep-change.ts';
export { contentBefore, findChange, listChanges } from './kept-changes.ts';
