import { appRouter } from '../src/doors/trpc/app.router.ts';
import type { WithId } from './foreign-ids.ts';
import type { Sent } from './server.ts';

/** Whether a procedure changes something. */
const isMutation = (name: string): boolean => {
  const procedure: unknown = Object.entries(appRouter._def.procedures).find(([path]) => path === name)?.[1];
  if (typeof procedure !== 'function' || !('_def' in procedure)) return false;
  const { _def: def } = procedure;
  return typeof def === 'object' && def !== null && 'type' in def && def.type === 'mutation';
};

/** The request that calls a procedure. */
export const procedure = (name: string, input: unknown): Sent & { path: string } => {
  const path = `/trpc/${name}`;
  if (isMutation(name)) return { path, method: 'POST', body: input };
  return { path: `${path}?input=${encodeURIComponent(JSON.stringify(input))}` };
};

/** The same with an id at its place in the input. */
export const procedureWithId = (
  name: string,
  own: string | undefined,
  input: (id: string) => unknown,
): WithId => ({
  ...(own !== undefined && { own }),
  ask: (id: string) => procedure(name, input(id)),
});
