import { z } from 'zod';
import { callEvent } from './calls.ts';
import { confirmationEvent } from './confirmation.ts';
import { stateChanged } from './gateway.ts';

/** What an open panel is told, by topic: specification 7 and 8 for `machine`, 6.1 for `calls`, 6.2 for `confirmations`. */
export const liveTopics = { machine: stateChanged, calls: callEvent, confirmations: confirmationEvent };
export type LiveTopic = keyof typeof liveTopics;

const tagged = <Topic extends LiveTopic>(topic: Topic) =>
  z.object({ topic: z.literal(topic), event: liveTopics[topic] });

/** One message of the panel's one subscription. */
export const liveEvent = z.discriminatedUnion('topic', [
  tagged('machine'),
  tagged('calls'),
  tagged('confirmations'),
]);
export type LiveEvent = z.infer<typeof liveEvent>;

/** `lastEventId` is there when a reader comes back. */
export const liveInput = z.strictObject({ lastEventId: z.string().max(64).nullish() }).optional();
