import { createBoundedMap, nextMacrotask } from '@drawbridge/kit';
import { evaluateAll, type Policy } from '../rules/evaluate.ts';
import type { Resource } from '../rules/resource.ts';
import { isAbout, type Attempt, type Question } from './question.ts';

export interface Covered {
  requestId: string;
  askId: string;
  outcome: 'allowed' | 'denied';
}

interface Settling {
  /** What holds for the caller of a question: the same object as long as nothing has changed. */
  policyOf(question: Question): Policy;
  note(policy: Policy, decided: Resource[]): void;
}

/** Bounds the memory; the oldest question is evicted, and asked again when its answer comes. */
const maxQuestions = 1_000;

/** The questions that wait for an answer: those that the server was asked, and those at this terminal. */
export const createOpenQuestions = () => {
  const asked = createBoundedMap<string, Question>({ maxEntries: maxQuestions });
  const atTerminal = new Map<Question, AbortController>();

  /** What the policy of that moment said of a question: looked at again only under another policy. */
  const evaluated = new WeakMap<Question, { policy: Policy; outcome: Covered['outcome'] | null }>();

  const outcomeOf = (question: Question, { policyOf, note }: Settling): Covered['outcome'] | null => {
    const policy = policyOf(question);
    const known = evaluated.get(question);
    if (known?.policy === policy) return known.outcome;
    const { kind } = evaluateAll(policy, question.resources);
    const outcome = kind === 'ask' ? null : kind === 'run' ? 'allowed' : 'denied';
    evaluated.set(question, { policy, outcome });
    if (outcome !== null) note(policy, question.resources);
    return outcome;
  };

  return {
    of: (requestId: string) => asked.get(requestId),
    keep: asked.set,
    forget: (requestId: string) => void asked.delete(requestId),
    /** The id of the only question about this tool and these arguments; undefined for none or several. */
    onlyAbout: (attempt: Attempt): string | undefined => {
      const [only, ...others] = [...asked].filter(([, question]) => isAbout(question, attempt));
      return others.length === 0 ? only?.[0] : undefined;
    },
    /** Asks at the terminal. Undefined when a rule settles the question first, which aborts the signal. */
    atTerminal: async <T>(
      question: Question,
      ask: (settled: AbortSignal) => Promise<T>,
    ): Promise<T | undefined> => {
      const settled = new AbortController();
      atTerminal.set(question, settled);
      try {
        return await ask(settled.signal);
      } catch (error) {
        if (settled.signal.aborted) return undefined;
        throw error;
      } finally {
        atTerminal.delete(question);
      }
    },
    /** Whether a question that is to be the only one of its kind is open for another request. */
    hasAlone: (requestId: string): boolean =>
      [...atTerminal.keys(), ...[...asked].flatMap(([id, one]) => (id === requestId ? [] : [one]))].some(
        ({ asking }) => asking.some(({ alone }) => alone),
      ),
    /** Without the one of a request. */
    count: (except?: string) =>
      asked.size + atTerminal.size - (except !== undefined && asked.has(except) ? 1 : 0),
    /** Ends those at the terminal that are covered, and gives how many, beside the others that are. */
    settle: async (settling: Settling): Promise<{ here: number; elsewhere: Covered[] }> => {
      // Other calls run between two evaluations: a hundred long commands may be open.
      for (const question of [...atTerminal.keys(), ...[...asked].map(([, one]) => one)]) {
        if (evaluated.get(question)?.policy === settling.policyOf(question)) continue;
        outcomeOf(question, settling);
        await nextMacrotask();
      }
      const here = [...atTerminal].filter(([question]) => outcomeOf(question, settling) !== null);
      for (const [question, settled] of here) {
        atTerminal.delete(question);
        settled.abort();
      }
      const elsewhere = [...asked].flatMap(([requestId, question]): Covered[] => {
        const outcome = outcomeOf(question, settling);
        const { askId } = question.payload;
        return outcome === null || askId === undefined ? [] : [{ requestId, askId, outcome }];
      });
      return { here: here.length, elsewhere };
    },
    clear: () => asked.clear(),
  };
};

export type OpenQuestions = ReturnType<typeof createOpenQuestions>;
