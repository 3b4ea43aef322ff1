import type { AskAnswer, QuestionAnswer } from '@drawbridge/contracts/agent/asks';
import { cutText } from '@drawbridge/kit';

const longestWord = 200;

const chosenIn = ({ selectedOptions, customText, skipped }: QuestionAnswer): string[] =>
  skipped === true ? ['skipped'] : [...selectedOptions, ...(customText === undefined ? [] : [customText])];

/** An answer in a few words, for a person whose own answer came second. */
export const answerWord = (answer: AskAnswer): string => {
  switch (answer.kind) {
    case 'resourceDecision':
      return answer.resourceDecision;
    case 'approval':
      return answer.approved ? 'approved' : 'denied';
    case 'domainAccessApprove':
      return answer.domainAccessAction;
    case 'domainAccessDeny':
    case 'planDeny':
      return 'denied';
    case 'questions':
      return cutText(answer.answers.flatMap(chosenIn).join(', ') || 'skipped', longestWord);
    default:
      return answer satisfies never;
  }
};
