import { randomBytes } from 'node:crypto';
import type { Agent } from '@drawbridge/agent';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import { platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import {
  channelAnswer,
  channelLimits,
  type ChannelAnswer,
  type ChannelAnswerLevel,
} from '@drawbridge/contracts/outside/channels';
import { CodedError, createKeyedQueue, sleep, type Clock } from '@drawbridge/kit';
import {
  chatForm,
  createQuestionNow,
  digestOf,
  offersOf,
  type QuestionNowNeeds,
} from '../../questions/index.ts';
import type { Sealer } from '../../secrets/index.ts';
import type { Button } from '../adapter.ts';
import type { SendersStore } from '../senders/senders.store.ts';
import { addressOf } from '../turns/answers.ts';
import {
  isStoreTrouble,
  type ConversationKey,
  type MessagesStore,
  type StoredMessage,
} from '../turns/messages.store.ts';
import { isInGroup } from '../turns/lane-sender.ts';
import { newReply } from '../turns/new-reply.ts';
import type { QuestionsStore, StoredQuestion } from './questions.store.ts';

export interface QuestionsNeeds extends QuestionNowNeeds {
  clock: Clock;
  messages: MessagesStore;
  questions: QuestionsStore;
  senders: SendersStore;
  sealer: Sealer;
  /** Null where it is switched off. */
  agent: Agent | null;
  /** The most that the owner allows on a channel. */
  mostAnswers(kind: ChannelKind): Promise<ChannelAnswerLevel>;
  /** The address of the panel. */
  url(): string;
  onReply(conversation: ConversationKey): void;
  log: { info(facts: object, sentence: string): void };
  onError(error: unknown): void;
  signal: AbortSignal;
}

const storeRetryMs = 5_000;
/** In the data of a button. */
const signs: Partial<Record<ChannelAnswer, string>> = { allow: 'a', deny: 'd' };
export const answerOfSign = (sign: string): ChannelAnswer | undefined =>
  channelAnswer.options.find((answer) => (signs[answer] ?? answer) === sign);
/** An option has its number alone: its text stands in the question, where it is no markup. */
const labels: Partial<Record<ChannelAnswer, string>> = { allow: 'Allow once', deny: 'Deny' };
const pressed: Partial<Record<ChannelAnswer, string>> = {
  allow: 'Allowed once, from this chat.',
  deny: 'Denied, from this chat.',
};

const purposeOf = (id: string): string => `buttons of a channel: ${id}`;

/** What a sender's buttons may answer: no more than the owner allows, nor than the person does. */
const createOffers =
  ({ senders, mostAnswers }: Pick<QuestionsNeeds, 'senders' | 'mostAnswers'>) =>
  async (kind: ChannelKind, senderId: string): Promise<readonly ChannelAnswer[]> => {
    const sender = await senders.find(kind, senderId);
    if (!platformOf(kind).hasButtons) return [];
    return offersOf(sender?.answers ?? 'off', await mostAnswers(kind));
  };

/** Shows questions: with buttons where all of it may be read and answered in the chat, else as a link. */
const createShow = (needs: QuestionsNeeds, arm: (id: string) => void) => {
  const { clock, messages, questions, senders, sealer, url, onReply } = needs;
  const nowOf = createQuestionNow(needs, chatForm);
  const offersFor = createOffers(needs);

  return async (row: StoredMessage, threadId: string, ask: AskPayload): Promise<void> => {
    const { kind, senderId, userId } = row;
    const confirmationId = ask.resourceDecision?.confirmationId ?? null;
    const key = { userId, askId: ask.requestId, confirmationId };
    const now = await nowOf(key);
    if (now.type === 'closed') return;
    const { shown } = now;
    const allowed = await offersFor(kind as ChannelKind, senderId);
    const offers = allowed.filter((answer) => shown?.answers[answer] !== undefined);
    const id = `${kind} ask ${confirmationId ?? ask.requestId}`;
    const createdAt = clock.now();
    // Its own chat with the sender has the id of the sender. A group reads no question.
    const address = isInGroup(row)
      ? ((await senders.find(kind as ChannelKind, senderId))?.address ?? null)
      : row.address;
    if (address === null) return;
    const conversation = senderId;
    const place = { id, kind, conversation, address: addressOf({ address }) };
    const reply = (text: string) =>
      messages.replies.insert(newReply(place, { text, senderId, at: createdAt }));
    const link = `${url()}/chat/${threadId}`;
    if (shown === null || offers.length === 0) {
      await messages.commit([reply(`The agent has a question for you: ${link}`)], 'kept');
      return onReply({ kind, conversation });
    }
    const token = randomBytes(16).toString('base64url');
    const question = {
      ...key,
      id,
      kind,
      conversation,
      senderId,
      digest: digestOf(shown.text),
      tokenDigest: digestOf(token),
      sealedToken: sealer.seal(token, purposeOf(id)),
      offers,
      expiresAt: now.expiresAt,
      createdAt,
    };
    const text = `The agent has a question for you: ${link}\n\n${shown.text}`;
    await messages.commit([questions.insert(question), reply(text)], 'synced');
    onReply({ kind, conversation });
    arm(id);
  };
};

/** Gives a press to the agent, as the panel gives an answer. Resolves to what happened, in words. */
const createExecute = (needs: QuestionsNeeds) => {
  const { agent, log, onError } = needs;
  const nowOf = createQuestionNow(needs, chatForm);
  const offersFor = createOffers(needs);

  return async (question: StoredQuestion, answer: ChannelAnswer): Promise<string> => {
    const { kind, senderId, userId, askId, digest } = question;
    const now = await nowOf(question);
    if (now.type === 'closed') return now.words;
    if (!(await offersFor(kind as ChannelKind, senderId)).includes(answer))
      return 'Answers from this chat are switched off. Answer it in Drawbridge.';
    const given = now.shown?.answers[answer];
    if (given === undefined || digestOf(now.shown?.text ?? '') !== digest)
      return 'This question has changed. Answer it in Drawbridge.';
    try {
      await agent?.confirm(userId, askId, given, { channel: kind as ChannelKind, senderId });
    } catch (error) {
      if (isStoreTrouble(error)) throw error;
      if (!(error instanceof CodedError)) onError(error);
      const after = await nowOf(question);
      return after.type === 'closed'
        ? after.words
        : 'This could not be answered here. Answer it in Drawbridge.';
    }
    log.info({ kind, senderId, userId, askId, answer }, 'a question was answered from a channel');
    return pressed[answer] ?? `Answered with option ${answer}, from this chat.`;
  };
};

/**
 * Questions of runs that a channel's message has started, and their answers by button: one question, as it
 * was shown, one answer, for ten minutes.
 */
export const createQuestions = (needs: QuestionsNeeds) => {
  const { clock, messages, questions, sealer, onReply, onError, signal } = needs;
  const inTurn = createKeyedQueue();
  const nowOf = createQuestionNow(needs, chatForm);
  const execute = createExecute(needs);

  const deadlineOf = ({ sentAt, createdAt, expiresAt }: StoredQuestion): number =>
    Math.min(expiresAt ?? Infinity, (sentAt ?? createdAt) + channelLimits.buttonsMs);

  /** Null while it may still be answered. */
  const wordsFor = async (question: StoredQuestion): Promise<string | null> => {
    const now = await nowOf(question);
    if (now.type === 'closed') return now.words;
    if (clock.now() >= deadlineOf(question)) return 'The buttons have expired. Answer it in Drawbridge.';
    return question.answer === null ? null : execute(question, question.answer);
  };

  /** The message loses its buttons, and says what happened. */
  const close = async (question: StoredQuestion, words: string): Promise<void> => {
    const { id, kind, conversation, senderId, text } = question;
    const reply = await messages.replies.find(id);
    if (reply === null) return;
    const place = { id: `${id} closed`, kind, conversation, address: addressOf(reply), edits: id };
    const edit = newReply(place, { text: `${text}\n\n**${words}**`, senderId, at: clock.now() });
    if (await messages.commit([questions.close(id), messages.replies.insert(edit)], 'synced'))
      onReply(question);
  };

  const look = async (id: string): Promise<string | null> => {
    const question = await questions.find(id);
    if (question === null || question.state === 'closed') return null;
    const words = await wordsFor(question);
    if (words === null) sleepUntil(id, deadlineOf(question));
    else await close(question, words);
    return words;
  };

  /** Goes on with a question. Resolves to what happened to it, in words; null while it is open. */
  const settle = async (id: string): Promise<string | null> => {
    for (;;) {
      try {
        return await inTurn.run(id, () => look(id));
      } catch (error) {
        if (signal.aborted || !isStoreTrouble(error)) throw error;
        await sleep(clock, storeRetryMs, signal);
      }
    }
  };

  const wake = (id: string): void =>
    void settle(id).catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
  const sleepUntil = (id: string, at: number): void =>
    void sleep(clock, at - clock.now(), signal).then(
      () => wake(id),
      () => undefined,
    );

  return {
    show: createShow(needs, wake),
    settle,
    /** The question is no longer open. */
    closed: async (userId: string, askId: string): Promise<void> => {
      for (const id of await questions.open({ userId, askId })) wake(id);
    },
    /** The buttons of a reply that shows a question. */
    buttonsOf: async (replyId: string): Promise<Button[]> => {
      const question = await questions.find(replyId);
      const token = question && sealer.unseal(question.sealedToken, purposeOf(replyId));
      if (!question || token === null) return [];
      return question.offers.map((answer) => ({
        label: labels[answer] ?? answer,
        data: `${signs[answer] ?? answer}:${token}`,
      }));
    },
    /** Goes on with what an earlier run of the server left. */
    start: async (): Promise<void> => {
      for (const id of await questions.open()) wake(id);
    },
    forget: questions.forget,
    settled: inTurn.settled,
  };
};
