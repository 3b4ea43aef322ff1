import { messageFile } from '@drawbridge/contracts/agent/events';
import { z } from 'zod';
import type { Address } from '../adapter.ts';
import type { StoredReply } from './messages.store.ts';

interface Place extends Pick<StoredReply, 'id' | 'kind' | 'conversation'> {
  address: Address;
  /** The reply whose message gets the text instead. */
  edits?: string;
}

/** Of the reply that shows the answer of a run while it is written. */
export const draftIdOf = (kind: string, runId: string): string => `${kind} draft ${runId}`;
/** Whether a reply of this id is one. */
export const isDraft = (id: string): boolean => / draft run_/.test(id);

/** A file of a chat that a reply sends. */
export const repliedFile = messageFile.extend({ userId: z.string() });
export type RepliedFile = z.infer<typeof repliedFile>;

interface Said {
  text: string;
  senderId: string;
  at: number;
  part?: number;
  /** Read out, and sent as a voice message. */
  isSpoken?: boolean;
  file?: RepliedFile | null;
}

/** A reply that waits to be sent. A second one of the same id is not sent. */
export const newReply = (
  { address, edits, ...place }: Place,
  { text, senderId, at, part = 0, file = null, isSpoken = false }: Said,
): StoredReply => ({
  ...place,
  id: part === 0 ? place.id : `${place.id} ${part}`,
  senderId,
  address: JSON.stringify(address),
  text,
  state: 'waiting',
  createdAt: at,
  part,
  problem: null,
  messageId: null,
  sentAt: null,
  edits: edits ?? null,
  file: file && JSON.stringify(file),
  isSpoken: isSpoken ? 1 : 0,
});
