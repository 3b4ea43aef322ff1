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

it('NA-29: shows what each task of a plan is told and may use', () => {
  const task = { id: 'a', title: 'Read docs', kind: 'machine', spec: 'first\nrm -rf \u202e~', deps: [] };
  const planItems = [task, { ...task, id: 'b', tools: ['write_file'] }];
  const drawn = readQuestion({ ...asked, kind: 'plan-review', planItems })?.draw() ?? '';
  expect(drawn).toContain('May use: every tool of the machine');
  expect(drawn).toContain('May use: write_file');
  expect(drawn.match(/ {5}rm -rf \\u\{202e\}~/g)).toHaveLength(2);
});
