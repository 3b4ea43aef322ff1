import { randomBytes } from 'node:crypto';
import {
  noticeAnswer,
  noticeLimits,
  type NoticeAnswer,
  type PushAsk,
} from '@drawbridge/contracts/outside/notifications';
import type { Clock } from '@drawbridge/kit';
import { digestOf, offersOf, type QuestionKey, type ShownQuestion } from '../../questions/index.ts';
import type { Device } from '../notify.store.ts';
import type { AnswersStore } from './answers.store.ts';
import type { MostAnswers } from './most-answers.ts';

interface Needs {
  clock: Clock;
  answers: AnswersStore;
  most: MostAnswers;
}

export interface ShownOnDevice extends QuestionKey {
  shown: ShownQuestion;
}

/** What the owner and the person allow this device, allow and deny alone. */
export const noticeOffers = async (most: MostAnswers, device: Device): Promise<NoticeAnswer[]> => {
  const offers = offersOf(device.answers, await most.get());
  return noticeAnswer.options.filter((answer) => offers.includes(answer));
};

/** Gives a device the token of a question; null where it has no answer to give. */
export const createOfferAnswer =
  ({ clock, answers, most }: Needs) =>
  async (device: Device, { shown, ...key }: ShownOnDevice): Promise<PushAsk | null> => {
    const allowed = await noticeOffers(most, device);
    const offers = allowed.filter((answer) => shown.answers[answer] !== undefined);
    if (offers.length === 0) return null;
    const token = randomBytes(16).toString('base64url');
    const now = clock.now();
    await answers.insert({
      ...key,
      tokenDigest: digestOf(token),
      endpoint: device.endpoint,
      session: device.session,
      digest: digestOf(shown.text),
      offers,
      sentAt: now,
      expiresAt: now + noticeLimits.answerMs,
    });
    return { text: shown.text, token, offers };
  };
