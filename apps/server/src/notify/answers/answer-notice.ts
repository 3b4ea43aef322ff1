import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import type {
  NoticeAnswer,
  NoticeAnswerInput,
  NoticeReply,
} from '@drawbridge/contracts/outside/notifications';
import { CodedError, type Clock } from '@drawbridge/kit';
import type { Session } from '../../auth/index.ts';
import { createQuestionNow, digestOf, noticeForm, type QuestionNowNeeds } from '../../questions/index.ts';
import type { NotifyStore } from '../notify.store.ts';
import type { AnswersStore, Notice } from './answers.store.ts';
import type { MostAnswers } from './most-answers.ts';
import { noticeOffers } from './offer-answer.ts';

export interface AnswerNoticeNeeds extends QuestionNowNeeds {
  clock: Clock;
  store: Pick<NotifyStore, 'devices'>;
  answers: AnswersStore;
  most: MostAnswers;
  /** As the panel answers. Throws `alreadyDecided`, `confirmationClosed`, `badRequest`. */
  decide(userId: string, notice: Notice, answer: AskAnswer): Promise<void>;
  log: { info(facts: object, sentence: string): void };
}

const words: Record<NoticeAnswer, string> = { allow: 'Allowed once', deny: 'Denied' };
const elsewhere = 'Answer it in Drawbridge.';

/**
 * An answer that a person gives on a notification: the question that it showed, to the device that showed
 * it, in the session that subscribed it, once and for ten minutes.
 */
export const createAnswerNotice = (needs: AnswerNoticeNeeds) => {
  const { clock, store, answers, most, decide, log } = needs;
  const nowOf = createQuestionNow(needs, noticeForm);

  /** Why an answer does not count; null where it does. */
  const refusalOf = async (
    notice: (Notice & { usedAt: number | null }) | null,
    { session, endpoint, answer }: { session: Session } & NoticeAnswerInput,
  ): Promise<string | null> => {
    if (notice?.session !== session.key || notice.endpoint !== endpoint)
      return `These buttons do not count here. ${elsewhere}`;
    const now = clock.now();
    if (notice.usedAt !== null) return `These buttons were used before. ${elsewhere}`;
    if (now >= notice.expiresAt) return `These buttons have expired. ${elsewhere}`;
    if (now - notice.sentAt < channelLimits.readMs) return `Read the question first. ${elsewhere}`;
    const device = (await store.devices(session.user.id)).find((one) => one.endpoint === endpoint);
    const allowed = device?.session === session.key ? await noticeOffers(most, device) : [];
    return notice.offers.includes(answer) && allowed.includes(answer)
      ? null
      : `Answers from this device are switched off. ${elsewhere}`;
  };

  /** What happened, and whether this answer did it. */
  const give = async (notice: Notice, answer: NoticeAnswer): Promise<NoticeReply> => {
    const refused = (text: string): NoticeReply => ({ isAnswered: false, text });
    if (!(await answers.use(notice.tokenDigest, clock.now())))
      return refused(`These buttons were used before. ${elsewhere}`);
    const now = await nowOf(notice);
    if (now.type === 'closed') return refused(now.words);
    const given = now.shown?.answers[answer];
    if (given === undefined || digestOf(now.shown?.text ?? '') !== notice.digest)
      return refused(`This question has changed. ${elsewhere}`);
    try {
      await decide(notice.userId, notice, given);
      return { isAnswered: true, text: words[answer] };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const after = await nowOf(notice);
      return refused(after.type === 'closed' ? after.words : `This could not be answered here. ${elsewhere}`);
    }
  };

  return async (session: Session, input: NoticeAnswerInput): Promise<NoticeReply> => {
    const { answer } = input;
    const notice = await answers.byToken(digestOf(input.token));
    const refusal = await refusalOf(notice, { session, ...input });
    const reply =
      notice === null || refusal !== null
        ? { isAnswered: false, text: refusal ?? elsewhere }
        : await give(notice, answer);
    const facts = { userId: session.user.id, askId: notice?.askId ?? null, answer, reason: reply.text };
    if (reply.isAnswered) log.info(facts, 'a question was answered from a notification');
    else log.info(facts, 'an answer from a notification was refused');
    return reply;
  };
};

export type AnswerNotice = ReturnType<typeof createAnswerNotice>;
