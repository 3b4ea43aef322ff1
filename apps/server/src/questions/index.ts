export { offersOf } from './answer-levels.ts';
export { chatForm, noticeForm } from './question-form.ts';
export { createQuestionNow, digestOf, type QuestionKey, type QuestionNowNeeds } from './question-now.ts';
export type { ShownQuestion } from './shown-question.ts';
