import type { CallVia } from '@drawbridge/contracts/calls';
import { createTransientMap } from '@drawbridge/kit';

/** Whose calls are counted: all of a user, or those that came through one token or client. */
export interface Caller {
  userId: string;
  via?: CallVia | null;
}

const nameOf = ({ userId, via }: Caller): string => (via ? `${userId} ${via.kind} ${via.id}` : userId);

/** How many calls are open, of a user and of each token or client. */
export const createCallCounts = () => {
  const counts = createTransientMap<string, number>();
  const change = (name: string, by: 1 | -1) => {
    const now = (counts.get(name) ?? 0) + by;
    if (now > 0) counts.set(name, now);
    else counts.delete(name);
  };
  const both = (caller: Caller, by: 1 | -1) => {
    change(caller.userId, by);
    if (caller.via) change(nameOf(caller), by);
  };
  return {
    add: (caller: Caller) => both(caller, 1),
    remove: (caller: Caller) => both(caller, -1),
    /** Those of the token or client where `via` names one, else all of the user. */
    of: (caller: Caller): number => counts.get(nameOf(caller)) ?? 0,
  };
};
