import { dueAt } from '../transition/call-state.ts';
import { inTurn, load, type Runner } from './runner.ts';

/** How long after its time a call is ended by another server than the one that made it. */
const lateMs = 2_000;

const endOne = async (
  runner: Runner,
  { requestId, dueAt: storedDueAt }: { requestId: string; dueAt: number },
) => {
  const { clock, held, stores } = runner;
  const call = held.get(requestId) ?? (await load(runner, requestId, storedDueAt));
  // It has ended meanwhile, or cannot be read: then no event can end it.
  if (!call) return stores.calls.setAside(requestId, clock.now());
  await inTurn(runner, call, (step) => step({ type: 'due', at: clock.now() }));
  const { state } = call.data;
  if (state.kind !== 'ended') await stores.sharedCalls.setDue(requestId, dueAt(state));
};

/** Ends the open calls whose time is over: the servers that made them are gone, or do not know of them. */
export const endOverdue = async (runner: Runner): Promise<void> => {
  const overdue = await runner.stores.sharedCalls.overdue(runner.clock.now() - lateMs);
  for (const one of overdue) await endOne(runner, one).catch(runner.onError);
};
