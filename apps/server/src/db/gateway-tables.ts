/** Times are milliseconds since 1970, flags 0 or 1, JSON is text: the same in SQLite and Postgres. */

/** A machine that has called `init`: keys, calls and the connection belong to it. */
export interface MachineTable {
  id: string;
  userId: string;
  /** Unique for each person among machines that are not forgotten. */
  name: string;
  /** The installation of the daemon, as it says of itself; null for one that knows only the specification. */
  instance: string | null;
  /** When the person forgot it; its calls stay. */
  forgottenAt: number | null;
  /** Since when its calls are refused; null while it is not paused. */
  pausedAt: number | null;
  hostIdentifier: string;
  rootPath: string;
  toolsDigest: string;
  /** The daemon's number of that list since its last `init`, which is 0; later ones are higher. */
  toolsRevision: number;
  categories: string;
  /** What the daemon says of itself; null for one that knows only the specification. */
  daemon: string | null;
  /** Incremented with each `init`. */
  epoch: number;
  /** The first epoch whose calls the present daemon has; a replacement daemon has none of earlier ones. */
  resumesFrom: number;
  /** Why the server revoked the keys; null if it did not. */
  problem: string | null;
  /** Since when it is connected (grace counts); null when it is not. */
  connectedAt: number | null;
  /** When it was connected last; null while it never went away. */
  lastSeenAt: number | null;
  /** Incremented with each stream that its daemon opens. */
  stream: number;
  /** The server that has its stream; null while it has no stream. */
  serverId: string | null;
  /** The modes that its daemon reported, as JSON. */
  modes: string | null;
  /** The rules that its daemon reported last and when, as JSON. */
  rules: string | null;
  initAt: number;
  createdAt: number;
  /** Incremented with each change, and when that was. */
  rev: number;
  changedAt: number;
  /** Until when it counts as connected without a stream; null while it has one, and while it is offline. */
  graceUntil: number | null;
  /** How often another daemon has replaced a connected one since `takingsSince`. */
  takings: number;
  takingsSince: number;
}

/** A server of the store. It is dead once it has not been seen for 10 s. */
export interface ServerTable {
  /** Another one at each start, and after it was taken for dead. */
  id: string;
  version: string;
  startedAt: number;
  seenAt: number;
  /** Since when it takes no new work; null while it does. */
  drainingAt: number | null;
}

/** The server that does a periodic job; others do it once `until` has passed. */
export interface JobLeaseTable {
  name: string;
  owner: string;
  until: number;
}

/** Equal tool lists are stored once, under the SHA-256 of their JSON. */
export interface ToolListTable {
  digest: string;
  tools: string;
}

/** Pairing tokens and session keys, as SHA-256 digests only. */
export interface GatewayKeyTable {
  digest: string;
  /** A `serverPairing` is a token that the server made for its own machine: no other token replaces it. */
  kind: 'pairing' | 'serverPairing' | 'session';
  userId: string;
  /** The machine of a session key; the one that a pairing token is for, null for any. */
  machineId: string | null;
  /** Whether the machine that pairs with this token becomes the default. */
  makesDefault: number;
  createdAt: number;
  /** For a pairing token. */
  expiresAt: number | null;
  /** For a session key: when it was last seen, exact to the hour. */
  lastUsedAt: number | null;
  usedAt: number | null;
  revokedAt: number | null;
  /** What the key is computed from, with the secret of the servers; null for one of an earlier release. */
  seed: string | null;
}

/** One tool call: the activity log. */
export interface CallTable {
  requestId: string;
  userId: string;
  machineId: string;
  tool: string;
  /** What it touches, in one line; null for a call from before subjects were stored. */
  subject: string | null;
  door: string;
  /** The token or client it came through, as JSON, and what it is found by. */
  via: string | null;
  viaKind: string | null;
  viaId: string | null;
  /** Incremented with each change; a change names the one that it was made from. */
  rev: number;
  state: string;
  error: string | null;
  started: number | null;
  /** What decided it; null for one from before this was stored, unless a question was kept. */
  ruling: string | null;
  decision: string | null;
  decidedBy: string | null;
  denialReason: string | null;
  confirmationId: string | null;
  /** The machine's epoch when the call was first written on its stream. */
  epoch: number | null;
  /** SHA-256 of the answer that was taken. */
  answerDigest: string | null;
  /** The latest end that the call may have; does not run while a confirmation is open. */
  endsAt: number;
  createdAt: number;
  deliveredAt: number | null;
  endedAt: number | null;
  /** Where the store has several servers: the one whose caller waits; null where none does. */
  makerId: string | null;
  /** With several servers: the time limit of the open call, or of its question; then its end. */
  dueAt: number | null;
  arguments: string;
  result: string | null;
}

/** One question to a user about one call. */
export interface ConfirmationTable {
  id: string;
  requestId: string;
  userId: string;
  machineId: string;
  payload: string;
  questionDigest: string;
  state: string;
  approved: number | null;
  decision: string | null;
  /** The id of the reach that was chosen beside the decision. */
  reach: string | null;
  decidedBy: string | null;
  /** The chat in which it was answered, as JSON. */
  decidedVia: string | null;
  /** The id of the confirmation whose lasting answer settled this one too, or `rule`. */
  settledBy: string | null;
  createdAt: number;
  expiresAt: number;
  decidedAt: number | null;
}

/** The gateway's off switches: one row a scope that has turned it. */
export interface GatewaySwitchTable {
  /** `all` for the owner's, `user:<id>` for a user's own. */
  scope: string;
  disabled: number;
}

/**
 * A key that counts once: an idempotency key of a call, a call with an undelivered answer, a used state, or a
 * delivery to a webhook.
 */
export interface OnceTable {
  /** Unique among all. */
  key: string;
  /** What it is counted with: its kind, and its token, client or webhook. */
  scope: string;
  /** SHA-256 of the content that has to come with the key; or empty. */
  digest: string;
  /** The id of what was made. */
  subject: string;
  userId: string;
  at: number;
  /** When the key counts as new again. */
  endsAt: number;
  /** Until when the server that claimed the key may make its call; null once it is made. */
  claimedUntil: number | null;
}

/** What a client sends to a request of its own that another server answers. */
export interface ClientMessageTable {
  /** The request, and whose it is. */
  name: string;
  /** Null for a question that waits for its answer, empty for a cancellation; else JSON. */
  body: string | null;
  /** After that it is deleted. */
  endsAt: number;
}

/** What a person has set for themselves. */
export interface UserSettingsTable {
  userId: string;
  /** The machine that is meant where none is named. */
  defaultMachineId: string | null;
}

/** When a person was here last. */
export interface VisitTable {
  userId: string;
  visitedAt: number;
  /** From the visit before to the start of this one; null where there is nothing to show. */
  recapFrom: number | null;
  recapTo: number | null;
}

/** An account that was removed and has machines or calls left. */
export interface RemovedUserTable {
  userId: string;
}

export interface GatewayTables {
  machines: MachineTable;
  toolLists: ToolListTable;
  gatewayKeys: GatewayKeyTable;
  calls: CallTable;
  confirmations: ConfirmationTable;
  gatewaySwitches: GatewaySwitchTable;
  onceKeys: OnceTable;
  removedUsers: RemovedUserTable;
  userSettings: UserSettingsTable;
  visits: VisitTable;
  servers: ServerTable;
  jobLeases: JobLeaseTable;
  clientMessages: ClientMessageTable;
}
