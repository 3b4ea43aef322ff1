import { type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits, type ChannelAnswer } from '@drawbridge/contracts/outside/channels';
import { createPerMinute, type Clock } from '@drawbridge/kit';
import type { Write } from '../../db/index.ts';
import type { IncomingPress } from '../adapter.ts';
import { digestOf } from '../../questions/index.ts';
import type { SendersStore, StoredSender } from '../senders/senders.store.ts';
import { answerOfSign } from './questions.ts';
import type { QuestionsStore, StoredQuestion } from './questions.store.ts';

interface Needs {
  kind: ChannelKind;
  clock: Clock;
  questions: QuestionsStore;
  senders: SendersStore;
  log: { info(facts: object, sentence: string): void; warn(sentence: string): void };
}

/** `write` fails where another press came first. */
type Verdict = { type: 'refused'; text: string } | { type: 'accepted'; questionId: string; write: Write };

const uncounted = 'This button does not count. Answer it in Drawbridge.';
const pattern = /^(\w):([\w-]{22})$/;

/** Why a button does not count here and now; null where it does. */
const refusalOf = (
  question: StoredQuestion,
  { press, answer, now }: { press: IncomingPress; answer: ChannelAnswer; now: number },
): string | null => {
  if (question.conversation !== press.conversation) return 'another chat';
  if (question.messageId !== press.messageId) return 'another message';
  if (!question.offers.includes(answer)) return 'not offered';
  if (question.sentAt === null || now - question.sentAt < channelLimits.readMs) return 'too soon';
  return null;
};

/** Which presses of buttons count: those of the sender whom the question was shown to, where it was shown. */
export const createPresses = ({ kind, clock, questions, senders, log }: Needs) => {
  const { messagesPerMinute, wrongPresses, wrongPressesMs } = channelLimits;
  const perMinute = createPerMinute({ clock, max: messagesPerMinute });
  const wrong = createPerMinute({ clock, max: wrongPresses - 1, windowMs: wrongPressesMs });

  /** Somebody presses what was not made for them: their own buttons end. */
  const countWrong = async (sender: StoredSender): Promise<void> => {
    if (wrong.use(sender.senderId) === null) return;
    await senders.update(sender, { ...sender, answers: 'off' });
    log.warn(`A sender of ${kind} has pressed buttons that are not theirs: they answer no questions now`);
  };

  return async (press: IncomingPress, sender: StoredSender | null): Promise<Verdict> => {
    const refused = (reason: string): Verdict => {
      log.info({ kind, senderId: press.sender.id, reason }, 'a button of a channel was refused');
      const text = reason === 'too soon' ? 'Read it first, then press again.' : uncounted;
      return { type: 'refused', text };
    };
    if (sender === null) return refused('not paired');
    if (perMinute.use(sender.senderId) !== null) return refused('too many');
    const [, sign = '', token = ''] = pattern.exec(press.data) ?? [];
    const answer = answerOfSign(sign);
    const question = await questions.byToken(digestOf(token));
    if (answer === undefined || question?.kind !== kind || question.senderId !== sender.senderId) {
      await countWrong(sender);
      return refused('unknown');
    }
    const reason = refusalOf(question, { press, answer, now: clock.now() });
    if (reason !== null) return refused(reason);
    return { type: 'accepted', questionId: question.id, write: questions.press(question.id, answer) };
  };
};

export type Presses = ReturnType<typeof createPresses>;
