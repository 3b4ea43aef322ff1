import { messageFile } from '@drawbridge/contracts/agent/events';
import { laneMode } from '@drawbridge/contracts/agent/lanes';
import { toolScope } from '@drawbridge/contracts/groups';
import { z } from 'zod';
import { flag, json, table, text, textOrNull, whole, wholeOrNull } from './columns.ts';

export const laneTables = {
  /** Messages that wait in a lane; the id of one is also that of its request. */
  agentQueue: table(['userId', 'threadId', 'id'], {
    userId: text,
    threadId: text,
    id: text,
    text,
    files: json(z.array(messageFile)),
    position: whole,
    mode: laneMode,
    sender: text,
    channel: text,
    groups: json(z.array(toolScope)).nullable(),
    usesMemory: flag,
    timeZone: textOrNull,
    /** Its idempotency key. */
    key: textOrNull,
    /** Stop has paused it. */
    isHeld: flag,
    createdAt: whole,
    editedAt: wholeOrNull,
  }),
  /** Requests with an idempotency key. */
  agentRequests: table(['userId', 'sender', 'key'], {
    userId: text,
    sender: text,
    key: text,
    threadId: text,
    id: text,
    /** Of what was sent: SHA-256 in hexadecimal digits. */
    digest: text,
    /** How it ended without a run; null for one that waits, or is part of a run. */
    outcome: z.enum(['cancelled', 'overflow', 'superseded']).nullable(),
    createdAt: whole,
  }),
  /** What another server asks of the one that drives a thread; a message has the id of its command. */
  agentCommands: table(['userId', 'threadId', 'id'], {
    userId: text,
    threadId: text,
    id: text,
    kind: text,
    /** JSON. */
    body: text,
    /** The server that waits for the reply. */
    senderId: text,
    /** `accepted`: a message whose end is still to come. */
    state: z.enum(['open', 'accepted', 'done']),
    /** JSON; null while it is open. */
    reply: textOrNull,
    createdAt: whole,
  }),
  /** Named JSON documents of a thread. */
  agentArtifacts: table(['userId', 'threadId', 'artifactId'], {
    userId: text,
    threadId: text,
    artifactId: text,
    type: text,
    title: textOrNull,
    /** JSON as text, and its length in bytes. */
    content: text,
    contentBytes: whole,
    metadata: textOrNull,
    rev: whole,
    createdAt: whole,
    updatedAt: whole,
  }),
};
