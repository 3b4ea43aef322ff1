import { nanoid } from 'nanoid';
import { threadsTopic, threadTopic, usageTopic } from './agent.ts';
import { callsTopic, confirmationsTopic, outputTopic } from './calls.ts';
import { machinesTopic, machineTopic, settingsTopic } from './machines.ts';
import { read, type QueueNeeds } from './read.ts';
import type { Reader, ReaderContext, Topic, TopicEvent, TopicSource } from './topics.ts';

/** `id`: what a reader that comes back names as its newest; null for a frame of a chat that is not stored. */
export type ReaderEvent = { id: string | null } & TopicEvent;

export interface SubscribeInput extends Reader {
  topics: readonly Topic[];
  /** Ends the subscription. */
  signal: AbortSignal;
  /** Counts what waits, where the reader's connection does not. */
  unread?: QueueNeeds['unread'];
}

/** Text that waits for a reader, in UTF-16 code units: of a chat, where `now` replaces it, and of others. */
const maxLength = { chat: 1024 * 1024, other: 4 * 1024 * 1024 };

const sources: Record<Extract<Topic, string>, TopicSource> = {
  machine: machineTopic({ isPresentShown: true }),
  'machine-changes': machineTopic({ isPresentShown: false }),
  machines: machinesTopic,
  calls: callsTopic,
  output: outputTopic,
  confirmations: confirmationsTopic,
  threads: threadsTopic,
  settings: settingsTopic,
  usage: usageTopic,
};

const idOf = (event: TopicEvent): string | null => {
  if (event.topic !== 'thread') return nanoid(12);
  return event.event.type === 'event' ? String(event.event.id) : null;
};

/**
 * The events of the topics in one order until the signal aborts: what holds, and for a reader that comes back
 * what it has missed, then what happens. Throws `internal` for a reader that fell too far behind, and
 * `notFound` for a chat that is not there, or no longer.
 */
export async function* subscribe(
  ctx: ReaderContext,
  { topics, signal, unread, ...reader }: SubscribeInput,
): AsyncGenerator<ReaderEvent, void, undefined> {
  const isChat = topics.some((topic) => typeof topic === 'object');
  const bound = isChat ? maxLength.chat : maxLength.other;
  const opened = topics.map((topic) =>
    (typeof topic === 'string' ? sources[topic] : threadTopic(topic.thread))(ctx, reader),
  );
  for await (const event of read({ userId: reader.user.userId, unread, maxLength: bound, signal }, opened))
    yield { id: idOf(event), ...event };
}
