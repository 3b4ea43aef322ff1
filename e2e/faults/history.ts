import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { tools } from './plan.ts';
import { callers } from './rpc/plan.ts';

const op = z.string();
const user = z.number().int();
const requestId = z.string();
const confirmationId = z.string();
const text = z.string();

const kinds = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('begun'),
    seed: z.number(),
    users: z.number(),
    servers: z.number().default(1),
    callMaxMs: z.number(),
  }),
  z.object({ type: z.literal('user'), user, userId: text, asks: z.array(z.enum(tools)) }),
  /** A call was asked for, came back, or was refused. */
  z.object({ type: z.literal('asked'), op, user, tool: z.enum(tools) }),
  z.object({ type: z.literal('answered'), op, requestId, state: text, result: text.nullable() }),
  z.object({ type: z.literal('refused'), op, code: text }),
  /** The panel's list showed this call in this state. */
  z.object({ type: z.literal('seen'), user, requestId, state: text }),
  /** A click, and what the server said of it. */
  z.object({ type: z.literal('click'), confirmationId, requestId, approved: z.boolean() }),
  z.object({
    type: z.literal('decided'),
    confirmationId,
    approved: z.boolean(),
    decision: text.nullable(),
  }),
  z.object({ type: z.literal('click-refused'), confirmationId, code: text }),
  z.object({ type: z.literal('cancelled'), requestId, state: text, started: z.boolean().nullable() }),
  /** A link to a daemon. `stream` counts those of a user, over all their daemons; `key` is the digest of its key. */
  z.object({
    type: z.literal('stream'),
    link: z.enum(['stream', 'socket']),
    user,
    stream: z.number(),
    key: text,
  }),
  /** The server has ended it. */
  z.object({ type: z.literal('stream-ended'), user, stream: z.number() }),
  z.object({
    type: z.literal('frame'),
    user,
    stream: z.number(),
    id: z.number().nullable(),
    event: text,
    requestId: requestId.nullable(),
  }),
  /** The frame of that id has left the proxy for the daemon. */
  z.object({ type: z.literal('passed'), user, stream: z.number(), id: z.number() }),
  /** The server took an init as the machine's so manieth. */
  z.object({ type: z.literal('epoch'), user, epoch: z.number(), key: text }),
  /** A POST of a daemon as the server answered it. */
  z.object({ type: z.literal('post'), user, path: text, status: z.number(), repeated: z.boolean() }),
  /** A fault, as it began. */
  z.object({ type: z.literal('fault'), what: text, user: user.nullable(), forMs: z.number() }),
  z.object({ type: z.literal('server-ready') }),
  /** A server that should be running has ended, or one that was asked to end did not do so in time and well. */
  z.object({ type: z.literal('server-ended'), server: text, how: text }),
  /** A daemon is about to be ended, held still or doubled for so long. */
  z.object({ type: z.literal('disturbed'), user, forMs: z.number() }),
  z.object({ type: z.literal('daemon-ended'), user, expected: z.boolean(), output: text }),
  z.object({ type: z.literal('token-tried'), token: z.number(), taken: z.boolean() }),
  z.object({ type: z.literal('key-ended'), key: z.number() }),
  z.object({ type: z.literal('key-tried'), key: z.number(), path: text, status: z.number() }),
  z.object({ type: z.literal('memory'), who: text, kib: z.number(), handles: z.number() }),
  /** A message to the agent, and the id of its run or place in the queue, or why it was refused. */
  z.object({ type: z.literal('said'), user, thread: text, op, work: text, mode: text }),
  z.object({ type: z.literal('said-reply'), user, thread: text, op, reply: text }),
  /** Stop, continue or resume the queue; 0 where no answer came. */
  z.object({
    type: z.literal('acted'),
    user,
    thread: text,
    act: z.enum(['stop', 'continue', 'resume']),
    askedAt: z.number(),
    status: z.number(),
  }),
  /** An answer to a question of the agent, and its status. */
  z.object({
    type: z.literal('ask-answered'),
    user,
    thread: text,
    ask: text,
    allowed: z.boolean(),
    status: z.number(),
  }),
  /** A numbered event of a thread, as a reader got it. */
  z.object({
    type: z.literal('event'),
    user,
    thread: text,
    seq: z.number(),
    event: text,
    toolCallId: text.nullable(),
  }),
  /** How a process in the background ended, and what is wrong with its output as it was read on. */
  z.object({ type: z.literal('process-read'), op, ended: text.nullable(), wrong: z.array(text) }),
  /** A request that reached the model, and what is wrong with its calls and results. */
  z.object({ type: z.literal('model-request'), op: op.nullable(), wrong: z.array(text) }),
  /** The MCP server ran its tool. */
  z.object({ type: z.literal('rung'), op }),
  /** A row that the store of the agent must not have, after a kill of the server. */
  z.object({ type: z.literal('wrong-row'), rule: text, row: text }),
  /** A request of a client of the JSON-RPC door on one socket: its frames as words, and its answer if it came. */
  z.object({
    type: z.literal('rpc-request'),
    user,
    by: z.enum(callers),
    id: text,
    key: text,
    method: z.enum(['agent.send', 'tools.execute']),
    words: z.array(text),
    outcome: text.nullable(),
  }),
  /** No more faults from here on. */
  z.object({ type: z.literal('quiet') }),
  /** What was still going on when the quiet period was over. */
  z.object({ type: z.literal('not-quiet'), user, what: text }),
  /** After the quiet period: whether the user's machine ran one more call. */
  z.object({ type: z.literal('last-call'), user, state: text }),
  /** The same for one more run of the agent. */
  z.object({ type: z.literal('last-run'), user, status: text }),
  z.object({ type: z.literal('ended') }),
]);

/** One thing that happened; times are milliseconds since 1970, on the one clock of the machine. */
const entry = z.object({ at: z.number() }).and(kinds);
export type Entry = z.infer<typeof entry>;
export type Happening = z.infer<typeof kinds>;

/** What happens in a run, as JSON lines. */
export interface History {
  note(happening: Happening): void;
  close(): Promise<void>;
}

export const createHistory = (path: string, now: () => number): History => {
  const file = createWriteStream(path);
  return {
    // An answer that comes after the end is part of nothing.
    note: (happening) =>
      void (!file.writableEnded && file.write(`${JSON.stringify({ at: now(), ...happening })}\n`)),
    close: async () => {
      file.end();
      await finished(file);
    },
  };
};

/** Reads a history; an invalid line is an error. */
export const readHistory = async (path: string): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    entries.push(entry.parse(JSON.parse(line)));
  }
  return entries;
};
