import { maxPlanTasks, planTask } from '@drawbridge/contracts/agent/tasks';
import { z } from 'zod';
import { coreTool, textResult, type ToolOutcome, type ToolUse } from '../common/tool.ts';
import { plannedTools } from '../outside/planned-tools.ts';
import { checkPlan } from '../plans/check-plan.ts';
import { newPlanRows, planEvent } from '../plans/plan-rows.ts';

const input = z.strictObject({
  title: z.string().min(1).max(80),
  tasks: z.array(planTask).min(1).max(maxPlanTasks),
});
type Args = z.output<typeof input>;

const planIdOf = (callId: string) => callId.replace(/^tc_/, 'plan_');

const propose = async (use: ToolUse, { title, tasks }: Args): Promise<ToolOutcome> => {
  const { ctx, thread } = use;
  const running = { userId: thread.userId, threadId: thread.id, state: 'active' } as const;
  if ((await ctx.store.find('agentPlans', running)).length > 0)
    return textResult('A plan is running. Wait for it to end before you propose another one.', 'failed');
  const offer = await plannedTools(ctx, use);
  const problems = checkPlan(tasks, offer);
  if (problems.length > 0) return textResult(problems.join('\n'), 'failed');
  return {
    type: 'ask',
    ask: {
      inputType: 'plan-review',
      severity: 'info',
      message: `Start the plan “${title}”?`,
      planItems: tasks,
    },
  };
};

const start = (use: ToolUse, { title, tasks }: Args): ToolOutcome => {
  const { ctx, agent, call, thread } = use;
  const rows = newPlanRows(ctx, use, { id: planIdOf(call.id), title, tasks });
  return {
    ...textResult(
      'The person approved the plan. Its tasks run now; you get a message when they end. Say so in one sentence and finish.',
    ),
    writes: [...rows.writes, planEvent(ctx, agent, { view: rows.view, tasks: thread.tasks })],
    effects: [{ type: 'tickPlan', userId: thread.userId, planId: rows.view.planId }],
  };
};

/** A graph of tasks that the person approves. Specification, planned tasks. */
export const plan = coreTool({
  name: 'plan',
  description:
    'Propose a plan of dependent tasks for work of three or more steps. The person approves it; then each task runs with an agent of its own once the tasks in deps have succeeded.',
  input,
  effect: 'own',
  run: async (use) => {
    const { args, answer } = use;
    if (answer === null) return propose(use, args);
    if (answer.kind === 'approval' && answer.approved) return start(use, args);
    const feedback =
      answer.kind === 'planDeny' ? answer.feedback : answer.kind === 'approval' ? answer.userInput : '';
    const said = feedback === undefined || feedback === '' ? '' : ` They say: ${feedback}`;
    return textResult(`The person did not approve this plan.${said}`, 'denied');
  },
});
