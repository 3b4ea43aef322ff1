import type { AskAnswer, InputType } from '@drawbridge/contracts/agent/asks';
import { errors } from '../errors.ts';

import type { AgentRow, AskRow } from '../rows.ts';
import { update, type Write } from '../store-port.ts';
import { endOf } from '../run/finish.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { agentOf, runOf, workOf } from '../engine/load.ts';
import { tokensOf } from '../step/budget.ts';
import { closeAsk } from './ask.ts';

/** The kinds of answers to each kind of question. */
const answersTo: Record<Exclude<InputType, 'resource-decision'>, readonly AskAnswer['kind'][]> = {
  approval: ['approval'],
  text: ['approval', 'questions'],
  questions: ['questions', 'approval'],
  'domain-access': ['domainAccessApprove', 'domainAccessDeny'],
  'plan-review': ['approval', 'planDeny'],
  continue: ['approval'],
};

const requireFit = (ask: AskRow, answer: AskAnswer): void => {
  if (ask.kind === 'resource-decision' || !answersTo[ask.kind].includes(answer.kind))
    throw errors.badRequest({
      message: `A question of type ${ask.kind} cannot be answered with ${answer.kind}`,
    });
};

/** The run may use as much again. */
const grantMore = async (ctx: RunContext, agent: AgentRow): Promise<Write[]> => {
  const run = await runOf(ctx, agent.userId, agent.runId);
  if (!run) return [];
  const { userId, id } = run;
  return [
    update(
      'agentRuns',
      { userId, id },
      { state: 'active', approvedTokens: tokensOf(run), approvedCalls: run.calls },
    ),
    update(
      'agentAgents',
      { userId, id: agent.id, state: 'asking' },
      { state: 'ready', maxSteps: agent.steps + agentLimits.mainSteps },
    ),
  ];
};

/** What the answer to a question of the run itself leads to. */
const afterContinue = async (ctx: RunContext, agent: AgentRow, answer: AskAnswer): Promise<Write[]> => {
  if (answer.kind === 'approval' && answer.approved) return grantMore(ctx, agent);
  const work = await workOf(ctx, agent.userId, agent.id);
  if (!work) return [];
  const end = await endOf(ctx, work, {
    outcome: 'interrupted',
    result: '',
    error: 'The budget of the run is spent.',
  });
  return end.writes;
};

/**
 * Answers a question of the agent once, durably. Throws `notFound`, `badRequest`, `alreadyDecided` and
 * `confirmationClosed`.
 */
export const confirmAsk = async (
  ctx: RunContext,
  { userId, askId }: { userId: string; askId: string },
  answer: AskAnswer,
): Promise<{ runId: string }> => {
  const read = async () => (await ctx.store.find('agentAsks', { userId, id: askId }))[0];
  const ask = await read();
  if (!ask) throw errors.notFound();
  requireFit(ask, answer);
  if (ask.state === 'answered') throw errors.alreadyDecided();
  const isLate = ask.expiresAt !== null && ask.expiresAt <= ctx.clock.now();
  const agent = await agentOf(ctx, userId, ask.agentId);
  if (ask.state !== 'open' || isLate || !agent) throw errors.confirmationClosed();
  const writes = [
    ...closeAsk(ctx, ask, { outcome: 'answered', answer }),
    ...(ask.toolCallId === null
      ? await afterContinue(ctx, agent, answer)
      : [update('agentToolCalls', { userId, id: ask.toolCallId, state: 'waiting' }, { state: 'planned' })]),
  ];
  if (!(await ctx.store.commit(writes, 'synced'))) {
    const now = await read();
    throw now?.state === 'answered' ? errors.alreadyDecided() : errors.confirmationClosed();
  }
  ctx.wake(userId, agent.id);
  return { runId: ask.runId };
};

/** Closes questions that have waited too long: their calls are denied. */
export const expireAsks = async (ctx: RunContext): Promise<void> => {
  const open = await ctx.store.findOfAll('agentAsks', { state: 'open' });
  const late = open.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= ctx.clock.now());
  for (const ask of late) {
    const agent = await agentOf(ctx, ask.userId, ask.agentId);
    const writes = [
      ...closeAsk(ctx, ask, { outcome: 'expired' }),
      ...(ask.toolCallId === null
        ? agent
          ? await afterContinue(ctx, agent, { kind: 'approval', approved: false })
          : []
        : [
            update(
              'agentToolCalls',
              { userId: ask.userId, id: ask.toolCallId, state: 'waiting' },
              { state: 'planned' },
            ),
          ]),
    ];
    if (await ctx.store.commit(writes, 'synced')) ctx.wake(ask.userId, ask.agentId);
  }
};
