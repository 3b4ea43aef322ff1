import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { question as askedQuestion } from '@drawbridge/contracts/agent/asks';
import { toolWordsOfTask } from '@drawbridge/contracts/agent/plan-tools';
import { planTask, type PlanTask } from '@drawbridge/contracts/agent/tasks';
import { affectedResource } from '@drawbridge/contracts/confirmation-payload';
import { decision, type Decision } from '@drawbridge/contracts/groups';
import { preview } from '@drawbridge/contracts/preview';
import { z } from 'zod';
import { drawLines } from '../../terminal/draw-text.ts';
import { drawQuestion } from '../../terminal/question.ts';

const machineQuestion = affectedResource.extend({
  title: z.string().nullable(),
  options: z.array(decision),
  resources: z.array(affectedResource),
  preview: preview.nullable(),
});

const agentQuestion = z.object({
  message: z.string().default(''),
  introMessage: z.string().default(''),
  approval: z.object({ text: z.string() }).optional(),
  questions: z.array(askedQuestion).default([]),
  planItems: z.array(planTask).default([]),
  domainAccess: z.object({ url: z.string(), warnings: z.array(z.string()) }).optional(),
  webSearch: z.object({ query: z.string() }).optional(),
});

const common = z.object({
  confirmId: z.string(),
  kind: z.string(),
  url: z.string(),
  canAnswer: z.boolean(),
});

/** What `agent.confirm` takes beside the id. */
export type Reply = { decision: Decision } | { answer: AskAnswer };

export interface TuiQuestion {
  id: string;
  url: string;
  canAnswer: boolean;
  /** The whole question, escaped. */
  draw(columns?: number): string;
  /** What may be typed; null where anything may. */
  words: readonly string[] | null;
  /** The reply that a typed line means; null for none. */
  read(line: string): Reply | null;
}

const decisionWords: Record<Decision, string> = {
  allowOnce: 'allow',
  allowForSession: 'session',
  alwaysAllow: 'always',
  denyOnce: 'deny',
  alwaysDeny: 'never',
};

type Common = z.infer<typeof common>;
type Parts = Pick<TuiQuestion, 'draw' | 'words' | 'read'>;

const ofMachine = (given: unknown): Parts | null => {
  const read = machineQuestion.safeParse(given);
  if (!read.success) return null;
  const { options, title, preview: shown, ...question } = read.data;
  const byWord = new Map(options.map((option) => [decisionWords[option], option]));
  const drawn = {
    ...question,
    options,
    ...(title !== null && { title }),
    ...(shown !== null && { preview: shown }),
  };
  return {
    draw: (columns) => drawQuestion(drawn, { columns }),
    words: [...byWord.keys()],
    read: (line) => {
      const chosen = byWord.get(line);
      return chosen === undefined ? null : { decision: chosen };
    },
  };
};

type AgentQuestion = z.infer<typeof agentQuestion>;

/** What runs is shown, not only its title. */
const drawTask = (task: PlanTask, at: number): string[] => [
  `  ${at + 1}. ${task.title} (${task.kind})`,
  `     May use: ${toolWordsOfTask(task)}`,
  ...task.spec.split('\n').map((line) => `     ${line}`),
];

const drawAgent = (asked: AgentQuestion): string =>
  [
    '',
    asked.message,
    asked.introMessage,
    asked.approval?.text ?? '',
    asked.domainAccess?.url ?? '',
    ...(asked.domainAccess?.warnings ?? []),
    asked.webSearch?.query ?? '',
    ...asked.planItems.flatMap(drawTask),
    ...asked.questions.flatMap(({ question, options = [] }) => [
      question,
      ...options.map((option, at) => `  ${at + 1}. ${option}`),
    ]),
  ]
    .filter((line, at) => at === 0 || line !== '')
    .map(drawLines)
    .join('\n');

/** `1` names the first option; any other text is an answer in one's own words. */
const answersOf = ({ questions }: AgentQuestion, line: string): AskAnswer | null => {
  const lines = line.split(' / ');
  if (lines.length !== questions.length) return null;
  const answers = questions.map(({ id, options = [] }, at) => {
    const text = lines[at]?.trim() ?? '';
    const option = /^\d$/.test(text) ? options[Number(text) - 1] : undefined;
    return option === undefined
      ? { questionId: id, selectedOptions: [], customText: text }
      : { questionId: id, selectedOptions: [option] };
  });
  return { kind: 'questions', answers };
};

const yesOrNo = (drawn: string, allowed: AskAnswer, denied: AskAnswer): Parts => ({
  draw: () => drawn,
  words: ['allow', 'deny'],
  read: (line) => (line === 'allow' ? { answer: allowed } : line === 'deny' ? { answer: denied } : null),
});

const ofAgent = (kind: string, given: unknown): Parts | null => {
  const read = agentQuestion.safeParse(given);
  if (!read.success) return null;
  const drawn = drawAgent(read.data);
  const approval = (approved: boolean) => ({ kind: 'approval', approved }) as const;
  switch (kind) {
    case 'approval':
    case 'continue':
      return yesOrNo(drawn, approval(true), approval(false));
    case 'plan-review':
      return yesOrNo(drawn, approval(true), { kind: 'planDeny' });
    case 'domain-access':
      return yesOrNo(
        drawn,
        { kind: 'domainAccessApprove', domainAccessAction: 'allow_once' },
        { kind: 'domainAccessDeny' },
      );
    case 'text':
      return {
        draw: () => drawn,
        words: null,
        read: (line) => {
          const userInput = line.trim();
          return userInput === '' ? null : { answer: { ...approval(true), userInput } };
        },
      };
    case 'questions':
      return {
        draw: () => drawn,
        words: null,
        read: (line) => {
          const answer = answersOf(read.data, line);
          return answer && { answer };
        },
      };
    default:
      return null;
  }
};

/** A question as the server sent it; null for one that only the panel can show. */
export const readQuestion = (given: unknown): TuiQuestion | null => {
  const read = common.safeParse(given);
  if (!read.success) return null;
  const { confirmId: id, kind, url, canAnswer }: Common = read.data;
  const parts = kind === 'resource-decision' ? ofMachine(given) : ofAgent(kind, given);
  return parts && { id, url, canAnswer, ...parts };
};
