import type { AskAnswer, AskPayload } from '@drawbridge/contracts/agent/asks';
import { isDenial } from '@drawbridge/contracts/groups';
import { doneWords } from '../../confirmations/decisions.ts';

/** What the person said, in the words of a closed question. */
export const answerWords = (answer: AskAnswer, { inputType }: Pick<AskPayload, 'inputType'>) => {
  switch (answer.kind) {
    case 'questions': {
      const said = answer.answers.flatMap(({ selectedOptions, customText }) => [
        ...selectedOptions,
        ...(customText ? [customText] : []),
      ]);
      return {
        text: said.length === 0 ? 'Skipped' : `Answered: ${said.join('; ')}`,
        approved: said.length > 0,
      };
    }
    case 'approval': {
      const { approved, userInput } = answer;
      if (inputType === 'text' && approved) return { text: `Answered: ${userInput ?? ''}`, approved };
      if (inputType === 'continue') return { text: approved ? 'Goes on' : 'Stopped', approved };
      return { text: approved ? 'Allowed' : 'Denied', approved };
    }
    case 'resourceDecision': {
      const { resourceDecision } = answer;
      return { text: doneWords[resourceDecision], approved: !isDenial(resourceDecision) };
    }
    case 'domainAccessApprove':
      return { text: 'Allowed', approved: true };
    case 'domainAccessDeny':
      return { text: 'Denied', approved: false };
    case 'planDeny':
      return { text: 'Sent back', approved: false };
    default:
      return answer satisfies never;
  }
};
