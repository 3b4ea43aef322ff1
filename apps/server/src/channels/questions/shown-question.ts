import type { AskAnswer, AskPayload } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { channelLimits, channelOptions, type ChannelAnswer } from '@drawbridge/contracts/outside/channels';
import { previewRows, rowSigns } from '@drawbridge/contracts/preview-rows';
import { piecesOf, visible, visibleLines } from '@drawbridge/kit';

/** A question as a chat shows it whole, as markdown, and what each of its buttons answers. */
export interface ShownQuestion {
  text: string;
  answers: Partial<Record<ChannelAnswer, AskAnswer>>;
}

/** What a press may allow on a machine. Shell, screen and settings are asked about in the panel alone. */
const groups = new Set(['filesystemRead', 'filesystemWrite', 'browser', 'mcp']);

/** Hidden characters, and runs of marks or spaces, are written out. */
const draw = (text: string, plain: (text: string) => string): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'plain' ? plain(piece.text) : piece.text))
    .join('');
const line = (text: string): string => draw(text, visible);
const lines = (text: string): string => draw(text, visibleLines);

/** In a block of code, where nothing is markup; null for what does not fit, or is shown in another order. */
const toMarkdown = (body: readonly string[]): string | null => {
  const text = body.join('\n');
  if (text.length > channelLimits.questionLength) return null;
  if (piecesOf(text).some(({ kind }) => kind === 'right-to-left')) return null;
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
};

const resourcesOf = ({ resources, toolGroup, resource, description }: Confirmation) =>
  resources.length > 0 ? resources : [{ toolGroup, resource, description }];

/** A machine's question; null where a chat gets its link alone. */
export const shownConfirmation = (question: Confirmation): ShownQuestion | null => {
  const resources = resourcesOf(question);
  const rows = question.preview === null ? [] : previewRows(question.preview);
  const isAllowed = [question, ...resources].every(({ toolGroup }) => groups.has(toolGroup));
  if (!isAllowed || resources.length > channelLimits.questionResources) return null;
  if (rows.some(({ kind }) => kind === 'omitted')) return null;
  const text = toMarkdown([
    line(question.title ?? question.description),
    `Tool: ${line(question.tool)}`,
    ...resources.flatMap(({ toolGroup, description, resource }) => [
      `${toolGroup}: ${line(description)}`,
      `  ${line(resource)}`,
    ]),
    ...(question.preview === null
      ? [`Arguments: ${lines(JSON.stringify(question.arguments, null, 1))}`]
      : rows.map(({ kind, text: row }) => `${rowSigns[kind]} ${lines(row)}`)),
  ]);
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

/** Changes what later runs read. */
const rememberTool = 'remember';

const approvalOf = ({ toolName, message, approval }: AskPayload): ShownQuestion | null => {
  if (approval === undefined || toolName === rememberTool) return null;
  const text = toMarkdown([line(message), `Tool: ${line(toolName)}`, lines(approval.text)]);
  if (text === null) return null;
  const answerOf = (approved: boolean) => ({ kind: 'approval', approved, scope: 'once' }) as const;
  return { text, answers: { allow: answerOf(true), deny: answerOf(false) } };
};

const domainAccessOf = ({ message, domainAccess }: AskPayload): ShownQuestion | null => {
  if (domainAccess === undefined) return null;
  const { url, host, warnings } = domainAccess;
  const text = toMarkdown([
    line(message),
    `Host: ${line(host)}`,
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
const choiceOf = ({ toolName, message, questions = [] }: AskPayload): ShownQuestion | null => {
  const [asked] = questions;
  if (toolName !== askTool || asked?.type !== 'single' || questions.length > 1) return null;
  const { id: questionId, question, options = [] } = asked;
  if (options.length > channelOptions.length) return null;
  const text = toMarkdown([
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

/** A question of the agent itself; null where a chat gets its link alone. */
export const shownAsk = (ask: AskPayload): ShownQuestion | null => {
  if (ask.inputType === 'approval') return approvalOf(ask);
  if (ask.inputType === 'questions') return choiceOf(ask);
  return ask.inputType === 'domain-access' ? domainAccessOf(ask) : null;
};
