import { type ThreadKey, threadsOf } from '../rows/keys.ts';
import { agentLimits } from '../rows/limits.ts';
import type { AgentRow, AskRow } from '../rows/rows.ts';
import { openAgentStates } from '../rows/states.ts';
import { remove } from '../rows/store.ts';
import { expireAsk, lateAsks } from '../turns/ends/confirm.ts';
import type { RunContext } from './context.ts';

/** The time since `createdAt` in which nothing of `asks` was open. */
const workedMs = (createdAt: number, asks: readonly AskRow[], now: number): number => {
  let waitedMs = 0;
  let countedTo = createdAt;
  for (const ask of asks.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const to = ask.closedAt ?? now;
    waitedMs += Math.max(0, to - Math.max(ask.createdAt, countedTo));
    countedTo = Math.max(countedTo, to);
  }
  return now - createdAt - waitedMs;
};

/** Whether a background task does nothing or takes too long; waiting for the person does not count. */
export const isLate = (
  { state, lastActiveAt, createdAt }: AgentRow,
  asks: readonly AskRow[],
  now: number,
): boolean =>
  state !== 'waiting' &&
  (now - lastActiveAt > agentLimits.backgroundIdleMs ||
    workedMs(createdAt, asks, now) > agentLimits.backgroundMs);

const endLateTasks = async (ctx: RunContext, isOwn: (key: ThreadKey) => boolean): Promise<void> => {
  const all = await ctx.store.findOfAll('agentAgents', {
    kind: ['background', 'planned'],
    state: openAgentStates,
  });
  const open = all.filter(isOwn);
  const asks = await Promise.all(
    open.map(({ userId, threadId, id: agentId }) =>
      ctx.store.find('agentAsks', { userId, threadId, agentId }, { isLenient: true }),
    ),
  );
  const now = ctx.clock.now();
  const late = open.filter((agent, at) => isLate(agent, asks[at] ?? [], now));
  await ctx.stopAgents(late, 'cancelled');
};

const keysAtOnce = 500;

const forgetKeys = async ({ store, clock }: RunContext): Promise<void> => {
  const oldest = { orderBy: 'createdAt', limit: keysAtOnce } as const;
  const before = clock.now() - agentLimits.keptKeysMs;
  const old = (await store.findOfAll('agentRequests', {}, oldest)).filter(
    ({ createdAt }) => createdAt < before,
  );
  const writes = old.map(({ userId, sender, key }) => remove('agentRequests', { userId, sender, key }));
  if (writes.length > 0) await store.commit(writes, 'kept');
};

/** A reply that its sender has not read within an hour has none to read it. */
const keptRepliesMs = 60 * 60_000;

const forgetCommands = async ({ store, clock }: RunContext): Promise<void> => {
  const before = clock.now() - keptRepliesMs;
  const old = (await store.findOfAll('agentCommands', { state: 'done' })).filter(
    ({ createdAt }) => createdAt < before,
  );
  const writes = old.map(({ userId, threadId, id }) => remove('agentCommands', { userId, threadId, id }));
  if (writes.length > 0) await store.commit(writes, 'kept');
};

/** A waiting message that could not run, such as while no model was chosen. */
const checkLanes = async (
  { store, perform }: RunContext,
  isOwn: (key: ThreadKey) => boolean,
): Promise<void> => {
  const waiting = (await store.findOfAll('agentQueue', {})).filter(({ isHeld }) => !isHeld);
  await perform(threadsOf(waiting.filter(isOwn)).map((thread) => ({ type: 'checkLane', thread })));
};

/** A job that several servers share: what belongs to all is done by one of them. */
interface Share {
  isOwn(key: ThreadKey): boolean;
  isFirst: boolean;
}

/** Each minute: questions, background tasks and keys whose time is over, and messages that wait. */
export const sweep = async (
  ctx: RunContext,
  { isOwn, isFirst }: Share = { isOwn: () => true, isFirst: true },
): Promise<void> => {
  if (isFirst) for (const ask of await lateAsks(ctx)) await ctx.perform(await expireAsk(ctx, ask));
  await endLateTasks(ctx, isOwn);
  if (isFirst) await forgetKeys(ctx);
  if (isFirst && ctx.servers) await forgetCommands(ctx);
  await checkLanes(ctx, isOwn);
};
