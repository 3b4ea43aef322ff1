import { createHash } from 'node:crypto';
import type { Agent } from '@drawbridge/agent';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { hasCode } from '@drawbridge/kit';
import type { QuestionForm } from './question-form.ts';
import { shownAsk, shownConfirmation, type ShownQuestion } from './shown-question.ts';

const closedWords = 'This question is closed.';

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** How a machine's question was closed, where what shows it had no part in it. */
const wordsOf = ({ state, approved }: Confirmation): string => {
  switch (state) {
    case 'decided':
      return approved === true ? 'Allowed in Drawbridge.' : 'Denied in Drawbridge.';
    case 'expired':
      return 'This question has expired.';
    case 'withdrawn':
    case 'open':
      return closedWords;
    default:
      return state satisfies never;
  }
};

export type QuestionNow =
  | { type: 'open'; shown: ShownQuestion | null; expiresAt: number | null }
  | { type: 'closed'; words: string };

export interface QuestionKey {
  userId: string;
  /** Its name for the agent. */
  askId: string;
  /** Null for a question of the agent itself. */
  confirmationId: string | null;
}

export interface QuestionNowNeeds {
  /** Null where it is switched off. */
  agent: Pick<Agent, 'openAsks'> | null;
  /** A machine's question. Throws `notFound`. */
  confirmation(userId: string, confirmationId: string): Promise<Confirmation>;
}

/** A question as it is now, in that form. */
export const createQuestionNow =
  ({ agent, confirmation }: QuestionNowNeeds, form: QuestionForm) =>
  async ({ userId, askId, confirmationId }: QuestionKey): Promise<QuestionNow> => {
    if (confirmationId === null) {
      const ask = (await agent?.openAsks(userId))?.find(({ requestId }) => requestId === askId);
      if (!ask) return { type: 'closed', words: closedWords };
      const expiresAt = ask.expiresAt === null ? null : Date.parse(ask.expiresAt);
      return { type: 'open', shown: shownAsk(ask, form), expiresAt };
    }
    try {
      const asked = await confirmation(userId, confirmationId);
      if (asked.state !== 'open') return { type: 'closed', words: wordsOf(asked) };
      return { type: 'open', shown: shownConfirmation(asked, form), expiresAt: Date.parse(asked.expiresAt) };
    } catch (error) {
      if (hasCode(error, 'NOT_FOUND')) return { type: 'closed', words: closedWords };
      throw error;
    }
  };
