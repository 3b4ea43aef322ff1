import type { Agent } from '@drawbridge/agent';
import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import type { LiveEvent, LiveTopic } from '@drawbridge/contracts/live';
import type { Caller } from '../callers/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { Source } from './read.ts';

/**
 * `machine-changes`: as `machine`, without its present state. `output`: of calls, from now on. `thread`: the
 * frames of one chat.
 */
export type Topic = LiveTopic | 'machine-changes' | 'output' | { thread: string };

export type TopicEvent = LiveEvent | { topic: 'thread'; event: ThreadFrame };

export interface ReaderContext {
  gateway: Gateway;
  agent?: Agent | undefined;
  onError(error: unknown): void;
}

export interface Reader {
  /** Whose events, with the machine that is meant; of calls, those that the caller may see. */
  user: Pick<Caller, 'userId' | 'machineId' | 'machines' | 'via'>;
  /** The id of the newest event that the reader has; undefined for a new one. */
  since?: string | undefined;
  /** How many of the newest calls a reader that comes back gets again. */
  replayedCalls?: number | undefined;
}

export type TopicSource = (ctx: ReaderContext, reader: Reader) => Source<TopicEvent>;
