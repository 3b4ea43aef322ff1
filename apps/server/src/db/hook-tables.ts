/** An address that programs post to. */
export interface HookTable {
  id: string;
  userId: string;
  name: string;
  threadId: string;
  /** Tool groups, as JSON. */
  groups: string;
  /** Encrypted. */
  secret: string;
  createdAt: number;
  lastUsedAt: number | null;
}

/** A delivery that was accepted; `key` is its signed id, or the digest of its body. */
export interface HookDeliveryTable {
  hookId: string;
  key: string;
  at: number;
}

export interface HookTables {
  hooks: HookTable;
  hookDeliveries: HookDeliveryTable;
}
