export type { CallTable, ConfirmationTable, GatewayKeyTable, MachineTable } from './gateway-tables.ts';
export { findUnsafe } from './folder/own-folder.ts';
export { lockFolder, readFolderHolder, type FolderLock } from './folder/folder-lock.ts';
export type { Commit } from './sqlite/group-commit.ts';
export { createMetaStore, type MetaStore } from './meta.store.ts';
export { inParts } from './in-parts.ts';
export { OutdatedError } from './outdated.ts';
export { migrate } from './migrate.ts';
export { prepareQuery, type Slot } from './sqlite/prepared-query.ts';
export {
  openDatabase,
  sqliteFile,
  type DatabasePlace,
  type OpenDatabase,
  type Store,
} from './sqlite/open-database.ts';
export { createOnce, type Once, type OnceRow } from './once.store.ts';
export { agentTables, type Schema } from './schema.ts';
export { createDiskFloor } from './folder/disk-floor.ts';
export { createWriteCheck } from './write-check.ts';
export { isStoreTrouble } from './store-trouble.ts';
export type { CacheRows, Rights } from './rights.ts';
export type { Durability } from './sqlite/sync-level.ts';
export type { Write } from './sqlite/batch-transaction.ts';
