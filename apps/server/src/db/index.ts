export type {
  IdempotencyTable,
  CallTable,
  ConfirmationTable,
  GatewayKeyTable,
  MachineTable,
} from './gateway-tables.ts';
export { findUnsafe } from './folder/own-folder.ts';
export { lockFolder, readFolderHolder, type FolderLock } from './folder/folder-lock.ts';
export { inParts } from './in-parts.ts';
export { OutdatedError } from './write.ts';
export { migrate } from './migrate.ts';
export { prepareQuery, type Slot } from './sqlite/prepared-query.ts';
export { isPostgresUrl, passwordOf, shownPlace, sqliteFile, type DatabasePlace } from './place.ts';
export { openDatabase } from './sqlite/open-database.ts';
export { openStore } from './open-store.ts';
export type { OpenDatabase, Store } from './store.ts';
export { dialectOf, type Dialect } from './dialect.ts';
export { agentTables, type Schema } from './schema.ts';
export { readPostgres } from './postgres/facts.ts';
export { createDiskFloor } from './folder/disk-floor.ts';
export { createWriteCheck } from './write-check.ts';
export { isStoreTrouble } from './store-trouble.ts';
export type { CacheRows, Rights } from './rights.ts';
export type { Commit, Durability, Write } from './write.ts';
