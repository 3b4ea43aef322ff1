import { tables, type StoredRows, type TableName } from '@drawbridge/agent/rows';
import type { GatewayTables } from './gateway-tables.ts';
import type { RoomTables } from './room-tables.ts';

/** All tables that our queries name. Accounts keep theirs to themselves. */
export type Schema = GatewayTables & StoredRows & RoomTables;

// The declarations name each table once.
export const agentTables = Object.keys(tables) as readonly TableName[];
