import { z } from 'zod';
import { decision } from '../groups.ts';
import { confirmationId, isoTime } from '../ids.ts';
import { askRequestId, threadId, toolCallId } from './ids.ts';
import { planTask, taskItem } from './tasks.ts';

export const inputTypes = [
  'resource-decision',
  'approval',
  'domain-access',
  'text',
  'questions',
  'plan-review',
  'continue',
] as const;
export const inputType = z.enum(inputTypes);
export type InputType = z.infer<typeof inputType>;

/** A question of `ask-user`, or of a form that a tool's server sent. */
export const question = z.object({
  id: z.string().min(1).max(64),
  question: z.string().min(1).max(300),
  type: z.enum(['single', 'multi', 'text']),
  options: z.array(z.string().min(1).max(200)).min(2).max(8).optional(),
});
export type Question = z.infer<typeof question>;

/** The machine's question, as a client draws it. Specification, section 6.2. */
export const resourceQuestion = z.object({
  confirmationId,
  // Stored questions of an earlier version lack these.
  resource: z.string().default(''),
  description: z.string().default(''),
  /** The decisions that the machine accepts. */
  options: z.array(decision).default([]),
});
export type ResourceQuestion = z.infer<typeof resourceQuestion>;

/** A question to the person, as the thread shows it. Specification, confirmation types. */
export const askPayload = z.object({
  requestId: askRequestId,
  /** The call that waits for the answer; null where the run itself asks. */
  toolCallId: toolCallId.nullable(),
  toolName: z.string(),
  args: z.record(z.string(), z.unknown()),
  severity: z.enum(['info', 'warning', 'destructive']),
  message: z.string(),
  inputType,
  /** Null: it does not expire. */
  expiresAt: isoTime.nullable(),
  introMessage: z.string().optional(),
  questions: z.array(question).optional(),
  tasks: z.array(taskItem).optional(),
  planItems: z.array(planTask).optional(),
  domainAccess: z.object({ url: z.string(), host: z.string(), warnings: z.array(z.string()) }).optional(),
  webSearch: z.object({ query: z.string() }).optional(),
  resourceDecision: resourceQuestion.optional(),
  /** Exactly what would happen. */
  approval: z.object({ text: z.string() }).optional(),
});
export type AskPayload = z.infer<typeof askPayload>;

/** An open question with its chat; the title of a new chat is empty. */
export const openAsk = askPayload.extend({ threadId, threadTitle: z.string(), createdAt: isoTime });
export type OpenAsk = z.infer<typeof openAsk>;

export const askOutcomes = ['answered', 'withdrawn', 'expired'] as const;
export const askOutcome = z.enum(askOutcomes);
export type AskOutcome = z.infer<typeof askOutcome>;

const feedback = z.string().max(4_000);

export const questionAnswer = z.strictObject({
  questionId: z.string().max(64),
  selectedOptions: z.array(z.string().max(200)).max(8),
  customText: feedback.optional(),
  skipped: z.boolean().optional(),
});
export type QuestionAnswer = z.infer<typeof questionAnswer>;

/** The person's answer. `{ approved }` without a kind is an approval. */
export const askAnswer = z.union([
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('resourceDecision'),
      /** The question that was shown: the answer then counts for no other question of the call. */
      confirmationId: confirmationId.optional(),
      resourceDecision: decision,
      reach: z.string().max(64).optional(),
    }),
    z.strictObject({
      kind: z.literal('approval'),
      approved: z.boolean(),
      /** `session`: not asked again for this in this thread. */
      scope: z.enum(['once', 'session']).optional(),
      userInput: feedback.optional(),
    }),
    z.strictObject({
      kind: z.literal('domainAccessApprove'),
      domainAccessAction: z.enum(['allow_once', 'allow_domain', 'allow_all']),
    }),
    z.strictObject({ kind: z.literal('domainAccessDeny') }),
    z.strictObject({ kind: z.literal('questions'), answers: z.array(questionAnswer).max(4) }),
    z.strictObject({ kind: z.literal('planDeny'), feedback: feedback.optional() }),
  ]),
  z
    .strictObject({ approved: z.boolean(), userInput: feedback.optional() })
    .transform((answer) => ({ kind: 'approval' as const, ...answer })),
]);
export type AskAnswer = z.output<typeof askAnswer>;
