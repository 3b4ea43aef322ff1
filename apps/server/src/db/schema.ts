import type { AgentTables } from './agent-tables.ts';
import type { GatewayTables } from './gateway-tables.ts';
import type { RoomTables } from './room-tables.ts';

/** All tables that our queries name. Accounts keep theirs to themselves. */
export type Schema = GatewayTables & AgentTables & RoomTables;
