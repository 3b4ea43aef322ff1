import type { AskAnswer, InputType } from '@drawbridge/contracts/agent/asks';
import { tokensOf } from '../../memory/usage.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import { agentLimits } from '../../rows/limits.ts';
import { agentOf, runOf, workOf } from '../../rows/load.ts';
import type { AgentRow, AskRow } from '../../rows/rows.ts';
import { update, type Write } from '../../rows/store.ts';
import { closeAsk } from '../../tools/common/asks.ts';
import type { Ending, TurnEffect } from '../effects.ts';
import { answerWord } from './answer-word.ts';
import { endOf } from './end-agent.ts';

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

type AnswerNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId'>;

/** The run may use as much again. */
const grantMore = async (ctx: Pick<AgentNeeds, 'store' | 'clock'>, agent: AgentRow): Promise<Write[]> => {
  const run = await runOf(ctx, agent.userId, agent.runId);
  if (!run) return [];
  const { userId, id } = run;
  return [
    update(
      'agentRuns',
      { userId, id },
      {
        state: 'active',
        approvedTokens: tokensOf(run),
        approvedCalls: run.calls,
        approvedAt: ctx.clock.now(),
        waitedMs: 0,
      },
    ),
    update(
      'agentAgents',
      { userId, id: agent.id, state: 'asking' },
      { state: 'ready', maxSteps: agent.steps + agentLimits.mainSteps },
    ),
  ];
};

/** What the answer to a question of the run itself leads to. */
const afterContinue = async (ctx: AnswerNeeds, agent: AgentRow, answer: AskAnswer): Promise<Ending> => {
  if (answer.kind === 'approval' && answer.approved)
    return { writes: await grantMore(ctx, agent), effects: [] };
  const work = await workOf(ctx, agent.userId, agent.id);
  if (!work) return { writes: [], effects: [] };
  return endOf(ctx, work, {
    outcome: 'interrupted',
    result: '',
    error: 'The budget of the run is spent.',
  });
};

/** What an answer leads to: the call runs again with it, or the run itself continues or ends. */
const afterAnswer = async (
  ctx: AnswerNeeds,
  { userId, toolCallId }: AskRow,
  { agent, answer }: { agent: AgentRow; answer: AskAnswer },
): Promise<Ending> => {
  if (toolCallId === null) return afterContinue(ctx, agent, answer);
  const where = { userId, id: toolCallId, state: 'waiting' as const };
  return { writes: [update('agentToolCalls', where, { state: 'planned' })], effects: [] };
};

const closedBy = ({ state, answer }: AskRow) => {
  if (state !== 'answered') return errors.confirmationClosed();
  const winner = answer === null ? 'answered' : answerWord(answer);
  return errors.alreadyDecided({ message: `This confirmation has been answered already: ${winner}` });
};

/**
 * Answers a question of the agent once, durably. Throws `notFound`, `badRequest`, `alreadyDecided` and
 * `confirmationClosed`.
 */
export const confirmAsk = async (
  ctx: AnswerNeeds,
  { userId, askId }: { userId: string; askId: string },
  answer: AskAnswer,
): Promise<{ runId: string; effects: TurnEffect[] }> => {
  const read = async () => (await ctx.store.find('agentAsks', { userId, id: askId }))[0];
  const ask = await read();
  if (!ask) throw errors.notFound();
  requireFit(ask, answer);
  if (ask.state === 'answered') throw closedBy(ask);
  const isLate = ask.expiresAt !== null && ask.expiresAt <= ctx.clock.now();
  const agent = await agentOf(ctx, userId, ask.agentId);
  if (ask.state !== 'open' || isLate || !agent) throw errors.confirmationClosed();
  const end = await afterAnswer(ctx, ask, { agent, answer });
  const writes = [...closeAsk(ctx, ask, { outcome: 'answered', answer }), ...end.writes];
  if (!(await ctx.store.commit(writes, 'synced'))) throw closedBy((await read()) ?? ask);
  return { runId: ask.runId, effects: [...end.effects, { type: 'wake', userId, agentId: agent.id }] };
};

/** Questions that have waited too long. */
export const lateAsks = async ({ store, clock }: Pick<AgentNeeds, 'store' | 'clock'>): Promise<AskRow[]> => {
  const open = await store.findOfAll('agentAsks', { state: 'open' });
  return open.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= clock.now());
};

/** Closes a question that has waited too long: its call is denied. */
export const expireAsk = async (ctx: AnswerNeeds, ask: AskRow): Promise<TurnEffect[]> => {
  const { userId, agentId } = ask;
  const agent = await agentOf(ctx, userId, agentId);
  if (!agent) return [];
  const end = await afterAnswer(ctx, ask, { agent, answer: { kind: 'approval', approved: false } });
  const writes = [...closeAsk(ctx, ask, { outcome: 'expired' }), ...end.writes];
  if (!(await ctx.store.commit(writes, 'synced'))) return [];
  return [...end.effects, { type: 'wake', userId, agentId }];
};
