import type { FormAnswer } from '@drawbridge/contracts/machines/runtimes';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { AskRow, ToolCallRow } from '../../rows/rows.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock'>;

/** A client without the form answers the first question in words. */
const answersIn = ({ answer, payload }: AskRow): FormAnswer['answers'] => {
  if (answer?.kind === 'questions') return answer.answers;
  const [first] = payload.questions ?? [];
  if (answer?.kind !== 'approval' || !answer.approved || answer.userInput === undefined || !first)
    return null;
  return [{ questionId: first.id, selectedOptions: [], customText: answer.userInput }];
};

/** What came of the form of one action; undefined while its person may still answer. */
const answersOf = async (
  { store, clock }: Needs,
  { userId, askId, state }: ToolCallRow,
): Promise<FormAnswer['answers'] | undefined> => {
  const [ask] = askId === null ? [] : await store.find('agentAsks', { userId, id: askId });
  if (ask?.state === 'answered') return answersIn(ask);
  if (state === 'ended') return null;
  if (ask === undefined) return undefined;
  const isLate = ask.expiresAt !== null && ask.expiresAt <= clock.now();
  return ask.state === 'open' && !isLate ? undefined : null;
};

/** The forms of a turn that are closed, by the numbers of their actions. */
export const formAnswers = async (
  ctx: Needs,
  { userId, id: turnId }: ToolCallRow,
  forms: readonly number[],
): Promise<FormAnswer[]> => {
  if (forms.length === 0) return [];
  const rows = await ctx.store.find('agentToolCalls', { userId, turnId });
  const asked = rows.filter(({ n }) => forms.includes(n));
  const all = await Promise.all(asked.map(async (row) => ({ n: row.n, answers: await answersOf(ctx, row) })));
  return all.flatMap(({ n, answers }) => (answers === undefined ? [] : [{ n, answers }]));
};
