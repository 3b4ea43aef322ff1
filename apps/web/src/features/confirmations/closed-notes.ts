import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { undoableTools } from '@drawbridge/contracts/machines/undo-change';
import type { Clock } from '@drawbridge/kit';
import { shallowRef } from 'vue';
import { failureOf, type Api } from '../../api/index.ts';
import { counted } from '../../ui/text/format.ts';
import type { Choice } from './decisions.ts';
import { outcomeOf, placeWords } from './outcome.ts';
import { titleOf } from './title.ts';
import { findMade, madeBy, type MadeRules } from './undo.ts';

/** How many closed questions stay visible. */
const keptClosed = 50;
/** For how long: longer if the answer can be undone, or was given elsewhere. */
export const shownMs = { own: 5_000, undo: 30_000, elsewhere: 60_000 };

/** How often the rules of an answer are looked for, and the time between. */
const ruleTries = 5;
const ruleWaitMs = 500;

interface Named {
  id: string;
  title: string;
}

/** How a question ended; shown in its place. */
export interface Closed extends Named {
  createdAt: string;
  text: string;
  approved: boolean;
  /** Whether this window answered it. */
  own: boolean;
  /** The ids of the questions of an answer to a selection. */
  questions: readonly string[];
  /** Whether its answer is not sent yet. */
  waits: boolean;
  /** The questions that one answer settled beside its own. */
  settled: readonly Named[];
  /** When it was answered elsewhere. */
  at: string | null;
  /** The calls that the answer allowed, if their changes can be undone. */
  changed: { machineId: string; calls: readonly string[] } | null;
  /** The rules that the answer created, while they can be undone. */
  made: MadeRules | null;
  undoing: boolean;
  /** Why they could not be undone. */
  problem: string | null;
}

/** "Create a.md?, Create b.md? and 3 more" */
const namesOf = (settled: readonly Named[]): string => {
  const [first = [], second = [], ...others] = settled.map(({ title }) => title);
  const named = [first, second].flat().join(', ');
  return others.length === 0 ? named : `${named} and ${others.length} more`;
};

/** "Denied", "Denying 3 questions". */
export const answeredWords = (verb: 'Allowed' | 'Denied' | 'Denying', count: number): string =>
  count === 1 ? verb : `${verb} ${counted(count, 'question')}`;

/** "Denied: use a branch", of a denial with a reason. */
export const withReason = (words: string, reason: string | undefined): string =>
  reason ? `${words}: ${reason}` : words;

/** As `namesOf`, of questions. */
export const titlesOf = (questions: readonly Confirmation[]): string =>
  namesOf(questions.map((one) => ({ id: one.id, title: titleOf(one) })));

/** What a note says of its question. */
const ofQuestion = (confirmation: Confirmation): Pick<Closed, 'id' | 'createdAt' | 'title'> => {
  const { id, createdAt } = confirmation;
  return { id, createdAt, title: titleOf(confirmation) };
};

/** What an answer changed that a machine can undo; null for a denial, or for other tools. */
export const changedBy = (questions: readonly Confirmation[], approved: boolean): Closed['changed'] => {
  const [first] = questions;
  const canUndo = approved && questions.every(({ tool }) => undoableTools.includes(tool));
  return canUndo && first
    ? { machineId: first.machineId, calls: questions.map(({ requestId }) => requestId) }
    : null;
};

/** Notes about questions that have closed, each shown for some time. */
export const createClosedNotes = (clock: Clock) => {
  const closed = shallowRef<readonly Closed[]>([]);
  /** The timers of notes that are shown for some time. */
  const ends = new Map<string, () => void>();

  const dismiss = (id: string) => {
    ends.get(id)?.();
    ends.delete(id);
    closed.value = closed.value.filter((note) => note.id !== id);
  };

  /** Changes a note that is still shown. */
  const change = (id: string, to: Partial<Closed>) => {
    closed.value = closed.value.map((note) => (note.id === id ? { ...note, ...to } : note));
  };

  /** `forMs` is null for a note that stays until it is dismissed or replaced. */
  const closeAs = (
    note: Named & Pick<Closed, 'createdAt' | 'text' | 'approved'> & Partial<Closed>,
    forMs: number | null,
  ) => {
    dismiss(note.id);
    const none = {
      own: false,
      questions: [],
      waits: false,
      settled: [],
      at: null,
      changed: null,
      made: null,
      undoing: false,
      problem: null,
    };
    closed.value = [{ ...none, ...note }, ...closed.value].slice(0, keptClosed);
    if (forMs !== null)
      ends.set(
        note.id,
        clock.after(forMs, () => dismiss(note.id)),
      );
  };

  const close = (
    confirmation: Confirmation,
    note: Pick<Closed, 'text' | 'approved'> & Partial<Closed>,
    forMs: number | null,
  ) => closeAs({ ...ofQuestion(confirmation), ...note }, forMs);

  /** Closes a question that was answered elsewhere, or ended without an answer. */
  const closeElsewhere = (confirmation: Confirmation, wasRefused: boolean) => {
    const { text, approved } = outcomeOf(confirmation);
    const { state, decidedAt, decidedVia } = confirmation;
    const unused = wasRefused ? '. Your answer had no effect' : '';
    if (state !== 'decided') return close(confirmation, { text: text + unused, approved }, shownMs.elsewhere);
    const lasts = confirmation.decision === 'alwaysAllow' || confirmation.decision === 'alwaysDeny';
    const where = decidedVia === null ? 'in another window or on another device' : placeWords(decidedVia);
    const words = `Already ${approved ? 'allowed' : 'denied'}${lasts ? ' permanently' : ''} ${where}`;
    close(confirmation, { text: words + unused, approved, at: decidedAt }, shownMs.elsewhere);
  };

  /** Closes a question that this window answered. */
  const closeOwn = (confirmation: Confirmation, choice: Choice) => {
    const made = madeBy(choice, confirmation.reaches);
    const { text, approved } = outcomeOf(confirmation);
    const changed = changedBy([confirmation], approved);
    close(
      confirmation,
      { text: withReason(text, choice.reason), approved, own: true, made, changed },
      made || changed ? shownMs.undo : shownMs.own,
    );
  };

  /** One note for all questions that one answer or rule settled; `known` is the question of that answer. */
  const closeSettled = (confirmation: Confirmation, by: string, known: Confirmation | undefined) => {
    const id = `settled:${by}`;
    const before = closed.value.find((note) => note.id === id);
    const { createdAt } = before ?? known ?? confirmation;
    const settled = [...(before?.settled ?? []), ofQuestion(confirmation)];
    const { approved } = outcomeOf(confirmation);
    const verb = approved ? 'allowed' : 'denied';
    const what = counted(settled.length, by === 'rule' ? 'question' : 'other question');
    const text = by === 'rule' ? `A rule ${verb} ${what}` : `This answer also ${verb} ${what}`;
    closeAs({ id, createdAt, title: namesOf(settled), text, approved, settled }, shownMs.elsewhere);
  };

  return { closed, dismiss, change, close, closeAs, closeElsewhere, closeOwn, closeSettled };
};

interface UndoNeeds {
  api: Api;
  clock: Clock;
  change: ReturnType<typeof createClosedNotes>['change'];
}

/** Revokes the rules of an answer on its machine. */
export const createUndo = ({ api, clock, change }: UndoNeeds) => {
  /** The machine creates the rules when it gets the answer, which may come after the undo. */
  const listedRules = async (made: MadeRules) => {
    for (let tries = 1; ; tries += 1) {
      const rules = findMade(await api.rules.list.query(), made);
      if (rules.length > 0 || tries === ruleTries) return rules;
      await new Promise<void>((resolve) => clock.after(ruleWaitMs, resolve));
    }
  };

  /** Revokes the rules that an answer created, if the machine lists them. */
  const undo = async ({ id, made }: Closed) => {
    if (made === null) return;
    change(id, { undoing: true, problem: null });
    try {
      const rules = await listedRules(made);
      for (const { id: ruleId } of rules) await api.rules.remove.mutate({ ruleId });
      if (rules.length === 0) change(id, { problem: 'Not undone: the machine does not list this rule.' });
      else change(id, { text: 'Rule revoked. This call keeps its answer', made: null });
    } catch (error) {
      change(id, { problem: `Not undone: ${failureOf(error).message}` });
    } finally {
      change(id, { undoing: false });
    }
  };

  return undo;
};
