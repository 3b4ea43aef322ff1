import { z } from 'zod';

/** What is needed of the app-server of Codex (`codex app-server generate-ts`); all else is left out. */
const settings = z.object({ approvalPolicy: z.unknown(), approvalsReviewer: z.unknown() });

/** It asks before each command and change, and its person answers; without a yes nothing can write. */
export const posture = { approvalPolicy: 'untrusted', approvalsReviewer: 'user', sandbox: 'read-only' };
export const asksFirst = ({ approvalPolicy, approvalsReviewer }: z.infer<typeof settings>): boolean =>
  approvalPolicy === posture.approvalPolicy && approvalsReviewer === posture.approvalsReviewer;

export const openedThread = settings.extend({
  thread: z.object({ id: z.string() }),
  sandbox: z.object({ type: z.string() }),
});
/** `account`: null without a login, which a model of its own does not need. */
export const accountRead = z.object({ account: z.unknown(), requiresOpenaiAuth: z.boolean() });
export const startedTurn = z.object({ turn: z.object({ id: z.string() }) });

const change = z.object({
  path: z.string(),
  kind: z.object({ type: z.string(), move_path: z.string().nullish() }),
  diff: z.string(),
});
export type Change = z.infer<typeof change>;

const item = z.looseObject({
  id: z.string(),
  type: z.string(),
  status: z.unknown(),
  command: z.string().optional(),
  cwd: z.string().optional(),
  changes: z.array(change).optional(),
  aggregatedOutput: z.string().nullish(),
});
export type Item = z.infer<typeof item>;

const turnError = z.object({ message: z.string(), codexErrorInfo: z.unknown() });
const of = <Name extends string, Params extends z.ZodType>(method: Name, params: Params) =>
  z.object({ method: z.literal(method), params });
const threadId = z.string();
const delta = z.object({ threadId, delta: z.string() });
const inItem = z.object({ threadId, item });

export const notification = z.discriminatedUnion('method', [
  of('item/agentMessage/delta', delta),
  of('item/reasoning/summaryTextDelta', delta),
  of('item/reasoning/textDelta', delta),
  of('item/started', inItem),
  of('item/completed', inItem),
  of('item/autoApprovalReview/started', z.unknown()),
  of('thread/settings/updated', z.object({ threadSettings: settings })),
  of(
    'thread/tokenUsage/updated',
    z.object({ threadId, tokenUsage: z.object({ last: z.object({ inputTokens: z.int().nonnegative() }) }) }),
  ),
  of(
    'turn/plan/updated',
    z.object({ threadId, plan: z.array(z.object({ step: z.string(), status: z.string() })) }),
  ),
  of(
    'turn/completed',
    z.object({ threadId, turn: z.object({ status: z.string(), error: turnError.nullish() }) }),
  ),
  of('error', z.object({ willRetry: z.boolean(), error: turnError })),
]);
export type Notification = z.infer<typeof notification>;
export type TurnCompleted = (Notification & { method: 'turn/completed' })['params']['turn'];

const ofItem = { threadId, itemId: z.string() };

export const request = z.discriminatedUnion('method', [
  of(
    'item/commandExecution/requestApproval',
    z.object({
      ...ofItem,
      kind: z.string().default('command'),
      approvalId: z.null().optional(),
      networkApprovalContext: z.null().optional(),
      command: z.string(),
      cwd: z.string(),
    }),
  ),
  of('item/fileChange/requestApproval', z.object({ ...ofItem, grantRoot: z.null().optional() })),
  of(
    'item/tool/requestUserInput',
    z.object({
      ...ofItem,
      questions: z.array(
        z.object({
          ...{ id: z.string(), question: z.string(), isSecret: z.boolean().optional() },
          options: z.array(z.object({ label: z.string(), description: z.string().optional() })).nullish(),
        }),
      ),
    }),
  ),
]);
export type Request = z.infer<typeof request>;
export type FormRequest = Request & { method: 'item/tool/requestUserInput' };
export type ActionRequestFrame = Exclude<Request, FormRequest>;
