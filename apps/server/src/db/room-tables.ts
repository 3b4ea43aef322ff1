/** Settings that were changed while the server ran: one row. */
export interface RuntimeSettingsTable {
  id: string;
  /** JSON. */
  values: string;
  revision: number;
  updatedAt: number;
}

/** The push token of a companion, encrypted. */
export interface NodePushTokenTable {
  userId: string;
  nodeId: string;
  provider: string;
  sealed: string;
  /** Its last four characters. */
  preview: string;
  updatedAt: number;
}

export interface RoomTables {
  runtimeSettings: RuntimeSettingsTable;
  nodePushTokens: NodePushTokenTable;
}
