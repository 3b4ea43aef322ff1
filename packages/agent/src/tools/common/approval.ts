import type { AgentAction } from '@drawbridge/contracts/agent/settings';
import type { GrantRow } from '../../rows/rows.ts';
import { put, type Write } from '../../rows/store.ts';
import { failureOf, type NewAsk, textResult, type ToolOutcome, type ToolUse } from './tool.ts';

/** What stands before an action: the owner's policy, a grant of this thread, or the person's answer. */
interface Gate {
  action: AgentAction;
  /** The key of a grant for the thread; null: asked each time. */
  grant: string | null;
  message: string;
  /** Exactly what would happen. */
  text: string;
  severity: NewAsk['severity'];
  /** Asks in spite of policy and grant. */
  always?: boolean;
}

export type Approval = { type: 'approved'; writes: Write[] } | { type: 'stopped'; outcome: ToolOutcome };

/** Which of these keys the thread has a grant for. */
export const grantsAmong = async ({ ctx, thread }: ToolUse, keys: readonly string[]): Promise<string[]> => {
  const where = { userId: thread.userId, threadId: thread.id, key: keys };
  return (await ctx.store.find('agentGrants', where)).map(({ key }) => key);
};

export const grantOf = ({ ctx, thread, call }: ToolUse, key: string): Write => {
  const row: GrantRow = {
    userId: thread.userId,
    threadId: thread.id,
    key,
    askId: call.askId ?? '',
    createdAt: ctx.clock.now(),
  };
  return put('agentGrants', row);
};

/** What a call gives that was approved: its grant is stored also where the call fails. */
export const runApproved = async (
  { ctx, call, signal }: ToolUse,
  grant: readonly Write[],
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> => {
  const outcome = await run().catch((error: unknown) => {
    if (signal.aborted) throw error;
    return failureOf(ctx, call, error);
  });
  if (outcome.type !== 'result') return outcome;
  return { ...outcome, writes: [...grant, ...(outcome.writes ?? [])] };
};

/** What a person can review, in characters. */
const longestText = 32_000;

/** Denied is final: the result asks the model not to try the same again. */
export const deniedBy = (userInput?: string): ToolOutcome => {
  const reason = userInput === undefined || userInput === '' ? '' : ` They say: ${userInput}`;
  return textResult(`The person denied this. Do not try it again in this run.${reason}`, 'denied');
};

/** Asks where the policy says so; the call runs again with the answer. */
export const approvalOf = async (use: ToolUse, gate: Gate): Promise<Approval> => {
  const { answer } = use;
  if (answer !== null) {
    if (answer.kind !== 'approval' || !answer.approved)
      return {
        type: 'stopped',
        outcome: deniedBy(answer.kind === 'approval' ? answer.userInput : undefined),
      };
    const isLasting = 'scope' in answer && answer.scope === 'session' && gate.grant !== null;
    return { type: 'approved', writes: isLasting && gate.grant !== null ? [grantOf(use, gate.grant)] : [] };
  }
  const { policy } = await use.ctx.config();
  if (policy[gate.action] === 'blocked')
    return {
      type: 'stopped',
      outcome: textResult('The owner of this server has blocked this action.', 'denied'),
    };
  const isOpen =
    policy[gate.action] === 'always_allow' ||
    (gate.grant !== null && (await grantsAmong(use, [gate.grant])).length > 0);
  if (isOpen && gate.always !== true) return { type: 'approved', writes: [] };
  const { message, severity, text } = gate;
  if (text.length > longestText)
    return { type: 'stopped', outcome: textResult('This is too long for a person to review.', 'failed') };
  return {
    type: 'stopped',
    outcome: { type: 'ask', ask: { inputType: 'approval', severity, message, approval: { text } } },
  };
};
