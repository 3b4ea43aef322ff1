export type {
  CallRepeatTable,
  CallTable,
  ConfirmationTable,
  GatewayKeyTable,
  MachineTable,
} from './gateway-tables.ts';
export type { GroupCommit } from './group-commit.ts';
export { migrate } from './migrate.ts';
export { prepareQuery, type Slot } from './prepared-query.ts';
export { openDatabase, type OpenDatabase, type Store } from './open-database.ts';
export type { Schema } from './schema.ts';
export { isStoreTrouble } from './store-trouble.ts';
export type { Durability } from './sync-level.ts';
