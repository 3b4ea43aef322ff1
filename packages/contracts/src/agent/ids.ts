import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** One conversation; chosen by the client that begins it, unique for each user. */
export const threadId = id;
/** All that follows from one message. */
export const runId = id;
/** One loop with its own history: the main agent of a run, or a sub-agent. */
export const agentId = id;
/** One use of one tool by one agent. */
export const toolCallId = id;
/** A question: `ask_…` of the agent, or the `requestId` of a call that waits for a confirmation. */
export const askRequestId = id;
export const messageId = id;
export const taskId = id;
export const fileId = id;
