import type { Agent, EndedRun } from '@drawbridge/agent';
import { createKeyedQueue, hasCode, type Clock } from '@drawbridge/kit';
import { createAnswers } from './answers.ts';
import { createLaneSender, sessionOf, type ChannelSessions } from './lane-sender.ts';
import type { MessagesStore } from './messages.store.ts';

type Needs = Parameters<typeof createAnswers>[0] &
  Parameters<typeof createLaneSender>[0] & {
    clock: Clock;
    messages: MessagesStore;
    sessions: ChannelSessions;
    agent: Agent | null;
    onError(error: unknown): void;
    signal: AbortSignal;
  };

/** What an earlier run of the server may not have given to its chat. */
const searchedMs = 24 * 60 * 60 * 1_000;

/**
 * Runs that background work has started, by who began it: what they say goes to the chat of its last
 * message. It has the id of the run, so it is sent once.
 */
export const createFollowUps = (needs: Needs) => {
  const { clock, messages, sessions, agent, onError, signal } = needs;
  const answers = createAnswers(needs);
  const laneSenderOf = createLaneSender(needs);
  const inTurn = createKeyedQueue();

  const ofAgent = async (
    { threads }: Agent,
    userId: string,
    isMeant: (sender: string) => boolean,
  ): Promise<void> => {
    for (const { first, ...conversation } of await messages.conversations.ofUser(userId)) {
      const sender = sessionOf(conversation);
      if (!isMeant(sender)) continue;
      const row = await messages.conversations.newest(conversation);
      // The pairing has ended, or the group was turned off.
      if (row === null || (await laneSenderOf(row))?.lane.key !== sender) continue;
      const session = await sessions.find({ userId, principal: 'person' }, sender);
      if (session === null) continue;
      const { threadId } = session;
      for (const run of await threads.followUps({ userId, threadId }, clock.now() - searchedMs)) {
        // Of an earlier pairing, whose messages are gone.
        if (run.sender !== sender || run.startedAt < first || signal.aborted) continue;
        await answers.followUp(row, run.end, { agent: { threads }, threadId });
      }
    }
  };

  /** Those of an account that are not in their chat yet. */
  const give = (userId: string, isMeant: (sender: string) => boolean): void => {
    if (agent === null) return;
    inTurn
      .run(userId, () => ofAgent(agent, userId, isMeant))
      .catch((error: unknown) => {
        if (!signal.aborted && !hasCode(error, 'NOT_FOUND')) onError(error);
      });
  };
  const stop = agent?.onRunEnded(({ kind, userId, sender }: EndedRun) => {
    if (kind === 'follow-up') give(userId, (one) => one === sender);
  });

  return {
    /** Goes on with what an earlier run of the server left. */
    start: async (): Promise<void> => {
      for (const userId of await messages.conversations.users()) give(userId, () => true);
    },
    stop: async (): Promise<void> => {
      stop?.();
      await inTurn.settled();
    },
  };
};
