import { nanoid } from 'nanoid';
import type { Clock } from '@drawbridge/kit';
import { answerMs, type Question } from './question.ts';
import type { ServerCall } from './server-call.ts';

/** Calls of one server that are held, also those that have ended meanwhile. */
const maxHeld = 4;

/** A call that goes on when its client's answer comes. */
export interface HeldCall {
  call: ServerCall;
  question: Question;
  about: string;
}

export const createHeldCalls = (clock: Clock) => {
  const held = new Map<string, HeldCall & { cancel(): void }>();

  const find = (token: string, about: string) => {
    const entry = held.get(token);
    return entry?.about === about ? entry : undefined;
  };
  const drop = (token: string) => {
    held.get(token)?.cancel();
    held.delete(token);
  };

  return {
    /** An unguessable token; null when there are too many. A call not resumed in time is abandoned. */
    hold: (call: HeldCall) => {
      if (held.size >= maxHeld) return null;
      const token = nanoid(32);
      const cancel = clock.after(answerMs, () => {
        drop(token);
        call.call.abandon();
      });
      held.set(token, { ...call, cancel });
      return token;
    },
    find,
    take: (token: string, about: string) => {
      const entry = find(token, about);
      if (entry) drop(token);
      return entry;
    },
    clear: () => {
      for (const token of held.keys()) drop(token);
    },
  };
};
