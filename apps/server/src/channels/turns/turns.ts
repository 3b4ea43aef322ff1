import type { Agent, LaneRequest } from '@drawbridge/agent';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import { type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { CodedError, createKeyedQueue, hasCode, sleep, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { ReaderContext } from '../../readers/index.ts';
import type { SpeechService, Transcribe } from '../../voice/index.ts';
import { orPlain, type ChannelAdapter } from '../adapter.ts';
import type { GroupsStore } from '../groups/groups.store.ts';
import type { SendersStore, StoredSender } from '../senders/senders.store.ts';
import { addressOf, begunOf, createAnswers, isStop, keyOf, type Answers } from './answers.ts';
import { createDraft, type Draft } from './draft.ts';
import { followRequest } from './follow.ts';
import { createFollowUps } from './follow-ups.ts';
import {
  createLaneSender,
  isInGroup,
  ownAnswer,
  sessionOf,
  type ChannelSessions,
  type NamedSender,
} from './lane-sender.ts';
import {
  isStoreTrouble,
  type ConversationKey,
  type MessagesStore,
  type StoredMessage,
} from './messages.store.ts';
import { draftIdOf } from './new-reply.ts';
import { createReceivedFiles, textForFiles, type ReceivedFiles } from './received-files.ts';

/** Shows the questions of a message's run. */
interface ShownQuestions {
  show(row: StoredMessage, threadId: string, ask: AskPayload): Promise<void>;
  /** The question is no longer open. */
  closed(userId: string, askId: string): Promise<void>;
}

interface Needs {
  clock: Clock;
  messages: MessagesStore;
  senders: SendersStore;
  groups: GroupsStore;
  sessions: ChannelSessions;
  questions: ShownQuestions;
  /** Null where it is switched off. */
  agent: Agent | null;
  transcribe: Transcribe;
  speech: Pick<SpeechService, 'isOn'>;
  readers: Omit<ReaderContext, 'agent'>;
  /** The address of the panel. */
  url(): string;
  /** Null while the channel is off. */
  adapterOf(kind: ChannelKind): ChannelAdapter | null;
  /** A sender has ended the pairing. */
  onUnpaired(sender: StoredSender): void;
  onReply(conversation: ConversationKey): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

const storeRetryMs = 5_000;

/** A message, and the thread that it is for. */
interface Place {
  row: StoredMessage;
  threadId: string;
}

/** A message that the agent has; resolves once it is answered. */
interface Given {
  ended: Promise<void>;
}

const nameOf = ({ kind, conversation }: ConversationKey): string => `${kind} ${conversation}`;

/** Fetches files of messages; `/stop` behind such a message ends it. */
const createFetching = (needs: Needs) => {
  const { messages, signal } = needs;
  const receive = createReceivedFiles(needs);
  const open = new Map<string, AbortController>();
  return {
    /** Null where it was stopped. */
    receive: async (row: StoredMessage): Promise<ReceivedFiles | null> => {
      const stop = new AbortController();
      open.set(nameOf(row), stop);
      try {
        return await receive(row, AbortSignal.any([signal, stop.signal]));
      } catch (error) {
        if (signal.aborted || !stop.signal.aborted) throw error;
        return null;
      } finally {
        open.delete(nameOf(row));
      }
    },
    stopWhereAsked: async (conversation: ConversationKey): Promise<void> => {
      const stop = open.get(nameOf(conversation));
      if (stop && (await messages.accepted(conversation)).some(({ text }) => isStop(text))) stop.abort();
    },
  };
};

/** Sends a message with its files. Undefined where nothing is left of it, which the sender is told. */
const createSend = (
  needs: Pick<Needs, 'senders' | 'groups' | 'messages'>,
  { receive }: ReturnType<typeof createFetching>,
  { answer, note }: Answers,
) => {
  const { messages } = needs;
  const laneSenderOf = createLaneSender(needs);

  return async (lanes: Agent['lanes'], by: NamedSender, { row, threadId }: Place) => {
    const key = keyOf(row);
    const known = await lanes.find(by.lane, threadId, key).catch((error: unknown) => {
      if (!hasCode(error, 'NOT_FOUND')) throw error;
    });
    // What is fetched again may differ from what was sent.
    if (known) return known;
    const received = await receive(row);
    if (received === null) return void (await answer(row, 'Stopped.'));
    const { attachments, spoken, problems } = received;
    const isSilent = row.text.trim() === '';
    if (isSilent && attachments.length === 0 && spoken.length === 0)
      return void (await answer(row, problems.join('\n')));
    // The pairing may have ended meanwhile.
    const sender = row.files === null ? by : await laneSenderOf(row);
    if (sender === null) return undefined;
    if (problems.length > 0) await note(row, problems.join('\n'));
    if (spoken.length > 0) await messages.spoken.note(row);
    const said = [...(isSilent ? [] : [row.text]), ...spoken];
    const speaker = isInGroup(row) ? `${sender.paired.name}: ` : '';
    const own = said.length === 0 ? [textForFiles(attachments)] : said;
    const text = speaker + [...own, ...problems.map((one) => `(${one})`)].join('\n\n');
    return lanes.send(sender.lane, threadId, { text, attachments, key });
  };
};

/** Shows answers while they are written; null where the platform shows them whole alone. */
const createDrafts =
  ({ clock, messages, adapterOf, onError, signal }: Needs, answers: Answers) =>
  (row: StoredMessage, runId: string): Draft | null => {
    const adapter = () => adapterOf(row.kind as ChannelKind);
    const every = adapter()?.draftEveryMs ?? null;
    if (every === null) return null;
    return createDraft({
      clock,
      replies: messages.replies,
      adapter,
      id: draftIdOf(row.kind, runId),
      insert: (text) => answers.draft(row, runId, begunOf(row, text)),
      edit: async ({ buttons }, { id, messageId, address }, text) => {
        const to = { id, address: addressOf({ address }), signal };
        const begun = begunOf(row, text);
        const edit = async (isPlain: boolean) =>
          (await buttons?.edit(messageId ?? '', begun, { ...to, isPlain })) ?? false;
        return orPlain(false, edit);
      },
      everyMs: isInGroup(row) ? every.group : every.own,
      onError,
      signal,
    });
  };

/** Gives messages to the agent, and their ends to the answers. */
const createSubmit = (needs: Needs, fetching: ReturnType<typeof createFetching>) => {
  const { clock, sessions, agent, readers, questions, adapterOf, signal, onError } = needs;
  const answers = createAnswers(needs);
  const { answer } = answers;
  const send = createSend(needs, fetching, answers);
  const laneSenderOf = createLaneSender(needs);
  const draftOf = createDrafts(needs, answers);

  /** Again while the store has trouble; what else fails is said to the sender. */
  const retried = async <Value>(
    row: StoredMessage,
    work: () => Promise<Value>,
  ): Promise<Value | undefined> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return undefined;
        if (isStoreTrouble(error)) await sleep(clock, storeRetryMs, signal).catch(() => undefined);
        else {
          const isCoded = error instanceof CodedError;
          if (!isCoded) onError(error);
          const text = isCoded
            ? error.message
            : 'Something went wrong here. The log of the server says more.';
          await answer(row, text).catch(onError);
          return undefined;
        }
      }
    }
  };

  const follow = async (
    row: StoredMessage,
    following: { agent: Agent; threadId: string; request: LaneRequest },
  ) => {
    const { threadId, request } = following;
    const end = await followRequest(
      {
        readers: { ...readers, agent: following.agent },
        clock,
        userId: row.userId,
        threadId,
        typing: async () => adapterOf(row.kind as ChannelKind)?.typing?.(addressOf(row), signal),
        draft: (runId) => draftOf(row, runId),
        onQuestion: (ask) => void questions.show(row, threadId, ask).catch(onError),
        onClosed: (askId) => void questions.closed(row.userId, askId).catch(onError),
        onError,
        signal,
      },
      request,
    );
    await answers.end(row, end, following);
  };

  const giveToAgent = async (row: StoredMessage, by: NamedSender): Promise<Given | undefined> => {
    if (!agent) throw errors.agentOff();
    const session = await sessions.claim({ userId: row.userId, principal: 'person' }, sessionOf(row));
    if (!session) throw errors.sessionNotFound();
    const { threadId } = session;
    const said = await agent.lanes.command(by.lane, threadId, row.text);
    if (said !== null) return void (await answer(row, said));
    const request = await send(agent.lanes, by, { row, threadId });
    if (!request) return undefined;
    return { ended: retried(row, () => follow(row, { agent, threadId, request })).then(() => undefined) };
  };

  const submit = async (row: StoredMessage): Promise<Given | undefined> => {
    const by = await laneSenderOf(row);
    if (by === null) return void (await answer(row, null));
    if (!isInGroup(row) && /^\/unpair\b/i.test(row.text)) {
      await answers.unpair(row, by.paired);
      return void needs.onUnpaired(by.paired);
    }
    const own = ownAnswer(row, by.paired);
    if (own !== null) return void (await answer(row, own));
    if (row.receivedAt - row.sentAt <= channelLimits.oldMs) return giveToAgent(row, by);
    return void (await answer(row, 'I was away when you wrote this. Send it again if it still matters.'));
  };

  return (row: StoredMessage) => retried(row, () => submit(row));
};

/** Messages of channels: given to the agent in order, and answered once. */
export const createTurns = (needs: Needs) => {
  const { messages, signal, onError } = needs;
  const fetching = createFetching(needs);
  const submit = createSubmit(needs, fetching);
  const followUps = createFollowUps(needs);
  const inTurn = createKeyedQueue();
  /** Given to the agent already; they wait for its end. */
  const following = new Set<string>();

  const wake = (conversation: ConversationKey): void => {
    const run = async () => {
      for (const row of await messages.accepted(conversation)) {
        if (signal.aborted) return;
        if (following.has(keyOf(row))) continue;
        following.add(keyOf(row));
        const given = await submit(row);
        void Promise.resolve(given?.ended).finally(() => following.delete(keyOf(row)));
      }
    };
    inTurn.run(nameOf(conversation), run).catch(onError);
    fetching.stopWhereAsked(conversation).catch(onError);
  };

  return {
    wake,
    /** Resolves once the agent has the messages that it is being given. */
    given: (conversation: ConversationKey): Promise<void> =>
      inTurn.run(nameOf(conversation), async () => undefined),
    /** Goes on with what an earlier run of the server left. */
    start: async (): Promise<void> => {
      for (const conversation of await messages.conversationsAccepted()) wake(conversation);
      await followUps.start();
    },
    stop: followUps.stop,
    settled: inTurn.settled,
  };
};
