import { z } from 'zod';
import { update } from '../../store-port.ts';
import { nextAttempt, type Verdict } from '../../tasks/verify-loop.ts';
import { coreTool, textResult } from '../tool.ts';

const input = z.strictObject({
  ok: z.boolean(),
  failure: z.string().max(2_000).optional().describe('What failed, as the check said it'),
  needs: z.enum(['patch', 'rebuild']).default('patch'),
});

const verdictOf = ({ ok, failure, needs }: z.output<typeof input>): Verdict =>
  ok ? { ok: true } : { ok: false, failure: failure ?? 'not said', needs };

/** What a planned task found when it checked its work; says what to do next. */
export const reportVerdict = coreTool({
  name: 'report-verification-verdict',
  description: 'Report whether your work passed its check. You are told whether to finish, patch or rebuild.',
  input,
  effect: 'own',
  run: async ({ ctx, args, agent }) => {
    const { userId, planTaskId } = agent;
    const [planId = '', taskId = ''] = (planTaskId ?? '').split('/');
    const [task] = await ctx.store.find('agentPlanTasks', { userId, planId, taskId });
    if (!task) return textResult('This task belongs to no plan.', 'failed');
    const { state, guidance, tries, signatures } = nextAttempt(task, verdictOf(args));
    const result = state === 'done' || state === 'failed' ? { verdict: state } : {};
    return {
      type: 'result',
      outcome: 'ok',
      parts: [{ type: 'text', text: guidance }],
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
