import type { AskAnswer, AskPayload } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { channelLimits, channelOptions, type ChannelAnswer } from '@drawbridge/contracts/outside/channels';
import { previewRows } from '@drawbridge/contracts/preview-rows';
import { line, lines, type QuestionForm } from './question-form.ts';

/** A question as it is shown whole, and what each of its buttons answers. */
export interface ShownQuestion {
  text: string;
  answers: Partial<Record<ChannelAnswer, AskAnswer>>;
}

/** What a press may allow on a machine. Shell, screen and settings are asked about in the panel alone. */
const groups = new Set(['filesystemRead', 'filesystemWrite', 'browser', 'mcp']);

const resourcesOf = ({ resources, toolGroup, resource, description }: Confirmation) =>
  resources.length > 0 ? resources : [{ toolGroup, resource, description }];

/** A machine's question; null where its link alone is shown. */
export const shownConfirmation = (question: Confirmation, form: QuestionForm): ShownQuestion | null => {
  const resources = resourcesOf(question);
  const rows = question.preview === null ? [] : previewRows(question.preview);
  const isAllowed = [question, ...resources].every(({ toolGroup }) => groups.has(toolGroup));
  if (!isAllowed || resources.length > channelLimits.questionResources) return null;
  if (rows.some(({ kind }) => kind === 'omitted')) return null;
  const text = form.toText(form.rowsOf(question, resources));
  if (text === null) return null;
  const { id: confirmationId, options } = question;
  const answerOf = (resourceDecision: 'allowOnce' | 'denyOnce') =>
    ({ kind: 'resourceDecision', confirmationId, resourceDecision }) as const;
  return {
    text,
    answers: {
      ...(options.includes('allowOnce') && { allow: answerOf('allowOnce') }),
      ...(options.includes('denyOnce') && { deny: answerOf('denyOnce') }),
    },
  };
};

const approvalOf = (
  { toolName, message, approval }: AskPayload,
  { showsTool, toText }: QuestionForm,
): ShownQuestion | null => {
  if (approval === undefined || !showsTool(toolName)) return null;
  const text = toText([line(message), `Tool: ${line(toolName)}`, lines(approval.text)]);
  if (text === null) return null;
  const answerOf = (approved: boolean) => ({ kind: 'approval', approved, scope: 'once' }) as const;
  return { text, answers: { allow: answerOf(true), deny: answerOf(false) } };
};

const domainAccessOf = (
  { message, domainAccess }: AskPayload,
  { hostRows, toText }: QuestionForm,
): ShownQuestion | null => {
  if (domainAccess === undefined) return null;
  const { url, host, warnings } = domainAccess;
  const text = toText([
    line(message),
    ...hostRows(message, host),
    `Address: ${line(url)}`,
    ...warnings.map(line),
  ]);
  if (text === null) return null;
  return {
    text,
    answers: {
      allow: { kind: 'domainAccessApprove', domainAccessAction: 'allow_once' },
      deny: { kind: 'domainAccessDeny' },
    },
  };
};

/** The agent's tool; forms of other programs are answered in the panel. */
const askTool = 'ask-user';

/** One question with a choice of one: its answer gives the agent no right. */
const choiceOf = (
  { toolName, message, questions = [] }: AskPayload,
  { toText }: QuestionForm,
): ShownQuestion | null => {
  const [asked] = questions;
  if (toolName !== askTool || asked?.type !== 'single' || questions.length > 1) return null;
  const { id: questionId, question, options = [] } = asked;
  if (options.length > channelOptions.length) return null;
  const text = toText([
    line(message),
    ...(question === message ? [] : [line(question)]),
    ...options.map((option, at) => `${at + 1}. ${line(option)}`),
  ]);
  if (text === null) return null;
  const answers = options.map((option, at) => {
    const answer: AskAnswer = { kind: 'questions', answers: [{ questionId, selectedOptions: [option] }] };
    return [channelOptions[at], answer] as const;
  });
  return { text, answers: Object.fromEntries(answers) };
};

/** A question of the agent itself; null where its link alone is shown. */
export const shownAsk = (ask: AskPayload, form: QuestionForm): ShownQuestion | null => {
  if (ask.inputType === 'approval') return approvalOf(ask, form);
  if (ask.inputType === 'questions') return choiceOf(ask, form);
  return ask.inputType === 'domain-access' ? domainAccessOf(ask, form) : null;
};
