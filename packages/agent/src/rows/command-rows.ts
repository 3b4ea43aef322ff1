import { z } from 'zod';
import { table, text, textOrNull, whole } from './columns.ts';

export const commandTables = {
  /** What another server asks the one that drives a thread to do; the id of a message is that of its command. */
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
};
