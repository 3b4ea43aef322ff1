export type { KeptChange } from './change-file.ts';
export { digestAt } from './copy-files.ts';
export { createKeeper, isNamed, type Keeper, type KeeperNeeds } from './keep-change.ts';
export { joinChanges, type JoinedChange, type JoinedFile } from './join-changes.ts';
export { contentBefore, findChanges, listChanges } from './kept-changes.ts';
