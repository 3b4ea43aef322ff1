import type { Agent } from '@drawbridge/agent';
import type { ThreadFrame, ThreadNow } from '@drawbridge/contracts/agent/threads';
import { hasCode } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import { orNothing, type Source } from './read.ts';
import type { ReaderContext, TopicEvent, TopicSource } from './topics.ts';

const nothing = { ready: Promise.resolve(), stop: () => {} };

/** A topic of the agent; silent where the server runs without it. */
const ofAgent =
  (open: (agent: Agent, ctx: ReaderContext, userId: string) => Source<TopicEvent>): TopicSource =>
  (ctx, { user }) =>
    ctx.agent ? open(ctx.agent, ctx, user.userId) : () => nothing;

/** Each chat of the user that is made, changed or removed. */
export const threadsTopic = ofAgent(({ threads }, ctx, userId) => (feed) => {
  const threadOrNull = (threadId: string) =>
    threads.get(userId, threadId).catch((error: unknown) => {
      if (hasCode(error, 'NOT_FOUND')) return null;
      throw error;
    });
  const read = async (threadId: string): Promise<TopicEvent[]> => {
    const [thread, waiting] = [await threadOrNull(threadId), await threads.waiting(userId)];
    return [{ topic: 'threads', event: { threadId, thread, waiting } }];
  };
  return threads.onChanged(userId, (threadId) =>
    feed.due(
      `thread ${threadId}`,
      orNothing(ctx, () => read(threadId)),
    ),
  );
});

/** What the agent has used of the user's day, once it has used more. */
export const usageTopic = ofAgent((agent, ctx, userId) => (feed) => {
  const read = async (): Promise<TopicEvent[]> => [
    { topic: 'usage', event: { type: 'usageChanged', credits: await agent.credits(userId) } },
  ];
  const stop = agent.onUsage(userId, () => feed.due('usage', orNothing(ctx, read)));
  return { ...nothing, stop };
});

/** Text that is being written comes as live events. */
const withoutPartial = ({ partial: _partial, ...now }: ThreadNow) => JSON.stringify(now);

const framesOf = (frames: readonly ThreadFrame[]): TopicEvent[] =>
  frames.map((event) => ({ topic: 'thread', event }));

type FollowedThreads = Pick<Agent['threads'], 'listen' | 'eventsAfter' | 'now'>;

/**
 * The frames of one thread: missed events or a reset, `run-sync`, then what happens. `since`: the number of
 * the newest event that the reader has. Throws `notFound`, also once the thread is removed.
 */
export const readThread =
  (
    threads: FollowedThreads,
    thread: { userId: string; threadId: string },
    since: number,
  ): Source<TopicEvent> =>
  (feed) => {
    const { userId, threadId } = thread;
    let seq = since;
    let synced = '';
    let isChanged = true;
    let isCut = false;
    /** Stored events keep their place among live ones: they are read once for each stretch between these. */
    let stretch = 0;
    const stored = async (): Promise<ThreadFrame[]> => {
      const { events, lastSeq, isReset } = await threads.eventsAfter(userId, threadId, seq);
      seq = lastSeq;
      const frames = events.map(({ id, event }): ThreadFrame => ({ type: 'event', id, event }));
      return isReset ? [...frames, { type: 'reset', nextEventId: seq + 1 }] : frames;
    };
    const changed = async (): Promise<ThreadFrame[]> => {
      isChanged = false;
      const now = await threads.now(userId, threadId);
      const isNews = isCut || withoutPartial(now) !== synced;
      synced = withoutPartial(now);
      isCut = false;
      return isNews ? [{ type: 'run-sync', now }] : [];
    };
    const lookSoon = () =>
      feed.due(`thread ${stretch}`, async () => {
        const frames = await stored();
        return framesOf(isChanged ? [...frames, ...(await changed())] : frames);
      });
    const { ready, stop } = threads.listen(userId, threadId, (signal) => {
      if (signal.type === 'live') {
        stretch += 1;
        const { payload } = signal.event;
        return feed.push(() => framesOf([signal]), 'text' in payload ? payload.text.length : 0);
      }
      isChanged ||= signal.type === 'changed';
      lookSoon();
    });
    lookSoon();
    // Live text is stored with its step, and until then part of `now`.
    const again = () => {
      isChanged = true;
      isCut = true;
      lookSoon();
    };
    return { ready, stop, again };
  };

export const threadTopic =
  (threadId: string): TopicSource =>
  ({ agent }, { user: { userId }, since }) => {
    if (!agent) throw errors.notAvailable({ message: 'This server runs without the agent' });
    return readThread(agent.threads, { userId, threadId }, Number(since ?? 0));
  };
