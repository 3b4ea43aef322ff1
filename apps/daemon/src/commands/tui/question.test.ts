import { expect, it } from 'vitest';
import { readQuestion } from './question.ts';

const asked = { confirmId: 'ask_1', url: 'http://127.0.0.1/', canAnswer: true, message: 'Which one?' };

it('takes a line of words as the answer to a question that needs words', () => {
  const question = readQuestion({ ...asked, kind: 'text' });
  expect(question?.read('  ')).toBeNull();
  expect(question?.read(' the left one ')).toEqual({
    answer: { kind: 'approval', approved: true, userInput: 'the left one' },
  });
});
