import { z } from 'zod';
import { planTaskId, planTaskOf } from '../../rows/keys.ts';
import { update } from '../../rows/store.ts';
import { coreTool, textResult, type ToolOutcome, type ToolUse } from '../common/tool.ts';
import { openCheckpoints } from '../plans/plan-rows.ts';
import { nextAttempt, type Verdict } from '../plans/verify-loop.ts';

const input = z.strictObject({
  ok: z.boolean(),
  failure: z.string().max(2_000).optional().describe('What failed, as the check said it'),
  needs: z.enum(['patch', 'rebuild']).default('patch'),
  task: z.string().max(128).optional().describe('The checkpoint that you judge'),
});
type Args = z.output<typeof input>;

const verdictOf = ({ ok, failure, needs }: Args): Verdict =>
  ok ? { ok: true } : { ok: false, failure: failure ?? 'not said', needs };

/** The main agent judges a checkpoint: what depends on it starts, or is cancelled. */
const judge = async ({ ctx, args, agent }: ToolUse<Args>): Promise<ToolOutcome> => {
  const { userId } = agent;
  const open = await openCheckpoints(ctx, agent);
  const task = open.find(
    ({ planId, taskId }) => args.task === undefined || args.task === planTaskId(planId, taskId),
  );
  if (!task) return textResult('There is no such checkpoint to judge.', 'failed');
  const { planId, taskId } = task;
  const [state, result] = args.ok
    ? (['succeeded', ''] as const)
    : (['failed', args.failure ?? 'not said'] as const);
  return {
    ...textResult(args.ok ? 'The plan continues.' : 'The tasks behind it are cancelled.'),
    writes: [update('agentPlanTasks', { userId, planId, taskId, state: 'running' }, { state, result })],
    effects: [{ type: 'tickPlan', userId, planId }],
  };
};

/** What a planned task found when it checked its work; says what to do next. */
export const reportVerdict = coreTool({
  name: 'report-verification-verdict',
  description:
    'Report whether your work passed its check. The result says whether to finish, patch or rebuild.',
  input,
  effect: 'own',
  run: async (use) => {
    const { ctx, args, agent } = use;
    if (agent.kind === 'main') return judge(use);
    const { userId } = agent;
    const { planId, taskId } = planTaskOf(agent.planTaskId);
    const [task] = await ctx.store.find('agentPlanTasks', { userId, planId, taskId });
    if (!task) return textResult('This task belongs to no plan.', 'failed');
    if (task.verdict === 'failed')
      return textResult('This task has failed. Report what you tried.', 'failed');
    const { state, guidance, tries, signatures } = nextAttempt(task, verdictOf(args));
    const result = state === 'done' || state === 'failed' ? { verdict: state } : {};
    return {
      ...textResult(guidance),
      writes: [
        update(
          'agentPlanTasks',
          { userId, planId, taskId, tries: task.tries },
          { tries, signatures, ...result },
        ),
      ],
    };
  },
});
