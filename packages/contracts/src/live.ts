import { z } from 'zod';
import { usageEvent } from './agent/credits.ts';
import { threadChange } from './agent/threads.ts';
import { callEvent } from './calls.ts';
import { confirmationEvent } from './confirmation.ts';
import { stateChanged } from './gateway.ts';
import { settingsEvent } from './settings.ts';
import { machinesEvent } from './machines/summary.ts';

/**
 * The panel's events. Specification 7 and 8 for `machine`, 6.1 for `calls`, 6.2 for `confirmations`.
 * `threads`: the chats of the built-in agent. `machines`: all machines of the user.
 * `settings`: those of the module, for this user. `usage`: what the agent has used of the user's day.
 */
export const liveTopics = {
  machine: stateChanged,
  machines: machinesEvent,
  calls: callEvent,
  confirmations: confirmationEvent,
  threads: threadChange,
  settings: settingsEvent,
  usage: usageEvent,
};
export type LiveTopic = keyof typeof liveTopics;

const tagged = <Topic extends LiveTopic>(topic: Topic) =>
  z.object({ topic: z.literal(topic), event: liveTopics[topic] });

/** One message of the panel's one subscription. */
export const liveEvent = z.discriminatedUnion('topic', [
  tagged('machine'),
  tagged('machines'),
  tagged('calls'),
  tagged('confirmations'),
  tagged('threads'),
  tagged('settings'),
  tagged('usage'),
]);
export type LiveEvent = z.infer<typeof liveEvent>;

/** Messages of the live stream: `up` after each opening, `down` while it is being reopened, or an event. */
export const liveMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), event: liveEvent }),
  z.object({ type: z.enum(['up', 'down', 'signed-out']) }),
]);
export type LiveMessage = z.infer<typeof liveMessage>;

/** `lastEventId` is set when a reader reconnects. */
export const liveInput = z.strictObject({ lastEventId: z.string().max(64).nullish() }).optional();
