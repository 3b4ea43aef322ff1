import type { AnswerPlace, Confirmation } from '@drawbridge/contracts/confirmation';
import { channelNames } from '../../ui/text/words.ts';
import { doneWords, spanOf } from './decisions.ts';

const answerWords = ({ approved, decision, reach, reaches, settledBy }: Confirmation): string => {
  if (settledBy !== null) return approved === true ? 'Allowed by a rule' : 'Denied by a rule';
  if (decision === null) return 'Denied';
  const chosen = reaches.find(({ id }) => id === reach);
  const done =
    decision === 'allowForSession' ? `Allowed for ${spanOf(decision, chosen)}` : doneWords[decision];
  return chosen === undefined ? done : `${done}: ${chosen.label}`;
};

/** "from Telegram", "from a notification" */
export const placeWords = (place: AnswerPlace): string =>
  `from ${'channel' in place ? channelNames[place.channel] : 'a notification'}`;

const decidedWords = (confirmation: Confirmation, by: string): string => {
  const { decidedVia } = confirmation;
  const words = `${answerWords(confirmation)}${by}`;
  return decidedVia === null ? words : `${words}, ${placeWords(decidedVia)}`;
};

/** How a question ended, in words. `by`: who answered it, such as " by you". */
export const outcomeOf = (confirmation: Confirmation, by = ''): { text: string; approved: boolean } => {
  const { state, approved } = confirmation;
  switch (state) {
    case 'open':
      return { text: 'Open', approved: false };
    case 'withdrawn':
      return { text: 'Withdrawn: the call ended', approved: false };
    case 'expired':
      return { text: 'Expired and denied', approved: false };
    case 'decided':
      return { text: decidedWords(confirmation, by), approved: approved === true };
    default:
      return state satisfies never;
  }
};
