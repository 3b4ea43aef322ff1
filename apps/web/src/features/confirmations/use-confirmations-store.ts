import {
  maxKnownQuestions,
  type Confirmation,
  type ConfirmationEvent,
} from '@drawbridge/contracts/confirmation';
import { createBoundedMap } from '@drawbridge/kit';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef, type ComputedRef, type Ref } from 'vue';
import { failureOf, useApi, useClock, type Api, type Failure } from '../../api/index.ts';
import {
  answeredWords,
  changedBy,
  createClosedNotes,
  createUndo,
  shownMs,
  withReason,
  type Closed,
} from './closed-notes.ts';
import { useSessionStore } from '../session/use-session-store.ts';
import { answerOf, type Choice } from './decisions.ts';
import { createHeldDenials, type Held } from './held-denials.ts';

/** How many closed questions are known, so that they stay closed. */
const knownClosed = 1_000;

/** The state of a question whose answer was refused, until the live event arrives. */
const closedWords: Record<string, string | undefined> = {
  ALREADY_DECIDED: 'Already answered in another window or on another device',
  CONFIRMATION_CLOSED: 'No longer open',
};

const inOrder = (a: { createdAt: string; id: string }, b: { createdAt: string; id: string }) =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

/** What parts of the page show in their place, which the strip leaves out. */
const createPlaces = (open: ComputedRef<Confirmation[]>) => {
  const placed = shallowRef<ReadonlyMap<symbol, readonly string[]>>(new Map());
  const elsewhere = computed(() => {
    const ids = new Set([...placed.value.values()].flat());
    return open.value.filter(({ id }) => !ids.has(id));
  });
  /** Questions that a part of the page shows now; none when it goes. */
  const place = (part: symbol, ids: readonly string[]) => {
    const others = [...placed.value].filter(([other]) => other !== part);
    placed.value = new Map(ids.length === 0 ? others : [...others, [part, ids]]);
  };
  return { elsewhere, place };
};

interface ReadingNeeds {
  api: Api;
  open: ComputedRef<Confirmation[]>;
  isLoaded: Ref<boolean>;
  /** Why the list could not be loaded. */
  failure: Ref<Failure | null>;
  put(confirmation: Confirmation): void;
  /** Of a question that closed meanwhile. */
  end(confirmation: Confirmation): void;
}

/** Reads what is open: all of it at first, and then what has changed. */
const createReading = ({ api, open, isLoaded, failure, put, end }: ReadingNeeds) => {
  /** The open questions that are not known yet, and the ids of known ones that closed meanwhile. */
  const readChanges = async () => {
    if (!isLoaded.value) return { asked: await api.confirmations.list.query(), closed: [] };
    const ids = open.value.map(({ id }) => id);
    const known = ids.slice(0, maxKnownQuestions);
    const { asked, closed } = await api.confirmations.changes.query({ known });
    // Those that could not be named come again while they are open.
    const again = new Set(asked.map(({ id }) => id));
    return { asked, closed: [...closed, ...ids.slice(known.length).filter((id) => !again.has(id))] };
  };
  const read = async () => {
    try {
      const { asked, closed } = await readChanges();
      failure.value = null;
      for (const one of open.value.filter(({ id }) => closed.includes(id))) end(one);
      for (const confirmation of asked) put(confirmation);
      isLoaded.value = true;
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  /** One after the other: a question comes once, with the first answer that has it. */
  let reading: Promise<void> = Promise.resolve();
  return (): Promise<void> => {
    reading = reading.then(read);
    return reading;
  };
};

/** The questions of the user as this window knows them. */
const createQuestions = () => {
  const api = useApi();
  const notes = createClosedNotes(useClock());
  const { close, closeElsewhere, closeOwn, closeSettled } = notes;
  const known = shallowRef<ReadonlyMap<string, Confirmation>>(new Map());
  const isLoaded = ref(false);
  /** Why the list could not be loaded. */
  const failure = ref<Failure | null>(null);
  const unanswered = computed(() =>
    [...known.value.values()].filter(({ state }) => state === 'open').sort(inOrder),
  );
  const held: Held = shallowRef(new Map());
  /** Without those whose denial is held. */
  const open = computed(() => {
    const ids = new Set([...held.value.values()].flat().map(({ id }) => id));
    return unanswered.value.filter(({ id }) => !ids.has(id));
  });
  const deciding = new Map<string, Choice>();
  /** Questions that have closed. */
  const over = createBoundedMap<string, true>({ maxEntries: knownClosed });
  /** Ids of questions that had closed when the answer of this window arrived. */
  const refusedAnswers = new Set<string>();
  /** Questions that are answered together: without a note each. */
  const together = new Set<string>();

  const put = (confirmation: Confirmation) => {
    const { id } = confirmation;
    const before = known.value.get(id);
    // An answer is final: a late "open" does not reopen the question, also one that was never shown.
    if (over.get(id) === true && confirmation.state === 'open') return;
    if (confirmation.state !== 'open') over.set(id, true);
    if (!before && confirmation.state !== 'open' && !refusedAnswers.has(id)) return;
    known.value = new Map(known.value).set(id, confirmation);
    if (confirmation.state === 'open' || (before && before.state !== 'open')) return;
    const choice = deciding.get(id);
    if (refusedAnswers.has(id)) closeElsewhere(confirmation, true);
    else if (together.has(id)) return;
    else if (choice !== undefined) closeOwn(confirmation, choice);
    else if (confirmation.settledBy !== null)
      closeSettled(confirmation, confirmation.settledBy, known.value.get(confirmation.settledBy));
    else closeElsewhere(confirmation, false);
  };

  const drop = (id: string) => {
    over.set(id, true);
    known.value = new Map([...known.value].filter(([other]) => other !== id));
  };

  const load = createReading({
    api,
    open: unanswered,
    isLoaded,
    failure,
    put,
    end: (one) => {
      drop(one.id);
      close(one, { text: 'No longer open', approved: false }, shownMs.elsewhere);
    },
  });

  /** Fetches one question, also a closed one. */
  const fetch = async (confirmationId: string): Promise<Confirmation | Failure> => {
    try {
      const confirmation = await api.confirmations.get.query({ confirmationId });
      put(confirmation);
      return confirmation;
    } catch (error) {
      return failureOf(error);
    }
  };

  const onConfirmation = ({ confirmation }: ConfirmationEvent) => put(confirmation);

  return {
    notes,
    known,
    open,
    held,
    deciding,
    refusedAnswers,
    together,
    isLoaded,
    failure,
    put,
    drop,
    load,
    fetch,
    onConfirmation,
  };
};

interface Together {
  id: string;
  title: string;
  members: readonly Confirmation[];
  /** Of a denial, for the agents. */
  reason?: string | undefined;
  before?: number;
}

/** Answers to questions, of this window. */
const createAnswers = (questions: ReturnType<typeof createQuestions>) => {
  const api = useApi();
  const { known, deciding, refusedAnswers, together, put, drop } = questions;
  const { close, closeElsewhere } = questions.notes;
  const failures = ref<Record<string, Failure>>({});

  const closeRefused = (confirmation: Confirmation, text: string) => {
    refusedAnswers.add(confirmation.id);
    const now = known.value.get(confirmation.id);
    if (now && now.state !== 'open') return closeElsewhere(now, true);
    drop(confirmation.id);
    close(confirmation, { text: `${text}. Your answer had no effect`, approved: false }, shownMs.elsewhere);
  };

  /** Answers a question. If it has closed already, a note says so. */
  const decide = async (confirmation: Confirmation, choice: Choice) => {
    delete failures.value[confirmation.id];
    deciding.set(confirmation.id, choice);
    try {
      const reply = await api.confirmations.decide.mutate({
        confirmationId: confirmation.id,
        ...answerOf(choice),
      });
      const { state, approved, decision } = reply;
      put({ ...confirmation, state, approved, decision, reach: choice.reach ?? null });
    } catch (error) {
      const failure = failureOf(error);
      const closedAs = closedWords[failure.code];
      if (closedAs !== undefined) closeRefused(confirmation, closedAs);
      else failures.value[confirmation.id] = failure;
    } finally {
      deciding.delete(confirmation.id);
    }
  };

  /**
   * Gives many questions the same answer for this once, with one note in the place of their group. Resolves
   * to how many it closed; `before`: so many others of them had closed.
   */
  const decideAll = async (
    { id, title, members, reason, before = 0 }: Together,
    decision: 'allowOnce' | 'denyOnce',
  ): Promise<number> => {
    for (const member of members) together.add(member.id);
    await Promise.all(members.map((member) => decide(member, { decision, ...(reason && { reason }) })));
    // One that closed elsewhere has a note of its own, and maybe another answer.
    const elsewhere = members.filter(({ id }) => refusedAnswers.has(id));
    const done = members.filter(
      (member) => known.value.get(member.id)?.state === 'decided' && !elsewhere.includes(member),
    );
    for (const member of members) together.delete(member.id);
    const [first] = members;
    if (first === undefined || done.length === 0) return 0;
    const approved = decision === 'allowOnce';
    const own = withReason(answeredWords(approved ? 'Allowed' : 'Denied', done.length), reason);
    const gone = before + elsewhere.length;
    const text = gone === 0 ? own : `${own}. ${gone} had closed before`;
    const changed = changedBy(done, approved);
    close(
      { ...first, id },
      { text, title, approved, own: true, changed },
      changed ? shownMs.undo : shownMs.own,
    );
    return done.length;
  };

  return { failures, decide, decideAll };
};

/** The open questions, and the last ones that closed. */
export const useConfirmationsStore = defineStore('confirmations', () => {
  const questions = createQuestions();
  const { notes, open, isLoaded, failure, load, fetch, onConfirmation } = questions;
  const { closed, dismiss, change } = notes;
  const answers = createAnswers(questions);
  const clock = useClock();
  const undoRules = createUndo({ api: useApi(), clock, change });
  const { denyLater, cancelDenial, sendAll } = createHeldDenials({
    clock,
    held: questions.held,
    notes,
    isOpen: (id) => questions.known.value.get(id)?.state === 'open',
    deny: (named) => answers.decideAll(named, 'denyOnce'),
  });
  useSessionStore().beforeSignOut(sendAll);
  return {
    open,
    ...createPlaces(open),
    closed,
    isLoaded,
    failure,
    load,
    fetch,
    onConfirmation,
    ...answers,
    denyLater,
    /** Of a lasting answer, or of a denial that is not sent yet. */
    undo: (note: Closed) => (note.waits ? cancelDenial(note.id) : undoRules(note)),
    dismiss,
  };
});
