import type { MessageFile } from '@drawbridge/contracts/agent/events';
import type { LaneMode } from '@drawbridge/contracts/agent/lanes';
import type { ToolGroup } from '@drawbridge/contracts/groups';

/** A message that waits in a lane; its id is also that of the request. */
export interface QueueRow {
  userId: string;
  threadId: string;
  id: string;
  text: string;
  files: MessageFile[];
  position: number;
  mode: LaneMode;
  sender: string;
  channel: string;
  groups: ToolGroup[] | null;
  usesMemory: boolean;
  timeZone: string | null;
  /** Its idempotency key. */
  key: string | null;
  /** Stop has paused it. */
  isHeld: boolean;
  createdAt: number;
  editedAt: number | null;
}

/** A request with an idempotency key. */
export interface RequestRow {
  userId: string;
  sender: string;
  key: string;
  threadId: string;
  id: string;
  /** Of what was sent: SHA-256 in hexadecimal digits. */
  digest: string;
  /** How it ended without a run; null for one that waits, or is part of a run. */
  outcome: 'cancelled' | 'overflow' | 'superseded' | null;
  createdAt: number;
}

/** A named JSON document of a thread. */
export interface ArtifactRow {
  userId: string;
  threadId: string;
  artifactId: string;
  type: string;
  title: string | null;
  /** JSON as text, and its length in bytes. */
  content: string;
  contentBytes: number;
  metadata: string | null;
  rev: number;
  createdAt: number;
  updatedAt: number;
}
