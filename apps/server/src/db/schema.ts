import type { AgentSettingsTables } from './agent-settings-table.ts';
import type { AgentTables } from './agent-tables.ts';
import type { GatewayTables } from './gateway-tables.ts';
import type { HookTables } from './hook-tables.ts';
import type { NotificationTables } from './notification-tables.ts';
import type { RoomTables } from './room-tables.ts';
import type { RpcTables } from './rpc-tables.ts';

/** All tables that our queries name. Accounts keep theirs to themselves. */
export type Schema = GatewayTables &
  AgentTables &
  AgentSettingsTables &
  HookTables &
  NotificationTables &
  RpcTables &
  RoomTables;
