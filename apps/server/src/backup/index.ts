export { backUp, requireSound } from './backup.store.ts';
export { restore } from './restore.store.ts';
