import type { Confirmation, ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import { createBoundedMap } from '@drawbridge/kit';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { failureOf, useApi, useClock, type Failure } from '../../api/index.ts';
import { counted } from '../../ui/text/format.ts';
import { answerOf, type Choice } from './decisions.ts';
import { outcomeOf } from './outcome.ts';
import { titleOf } from './title.ts';
import { findMade, madeBy, type MadeRules } from './undo.ts';

/** How many closed questions are known, so that they stay closed. */
const knownClosed = 1_000;
/** How many closed questions stay visible. */
const keptClosed = 50;
/** For how long: longer if the answer can be undone, or was given elsewhere. */
const shownMs = { own: 5_000, undo: 30_000, elsewhere: 60_000 };

/** How often the rules of an answer are looked for, and the time between. */
const ruleTries = 5;
const ruleWaitMs = 500;

/** The state of a question whose answer was refused, until the live event arrives. */
const closedWords: Record<string, string | undefined> = {
  ALREADY_DECIDED: 'Already answered in another window or on another device',
  CONFIRMATION_CLOSED: 'No longer open',
};

/** How a question ended; shown in its place. */
export interface Closed {
  id: string;
  createdAt: string;
  title: string;
  text: string;
  approved: boolean;
  /** How many questions one answer settled; 0 for the answered question itself. */
  settled: number;
  /** When it was answered elsewhere. */
  at: string | null;
  /** The rules that the answer created, while they can be undone. */
  made: MadeRules | null;
  undoing: boolean;
  /** Why they could not be undone. */
  problem: string | null;
}

const inOrder = (a: { createdAt: string; id: string }, b: { createdAt: string; id: string }) =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

/** The open questions, and the last ones that closed. */
export const useConfirmationsStore = defineStore('confirmations', () => {
  const api = useApi();
  const clock = useClock();
  const known = shallowRef<ReadonlyMap<string, Confirmation>>(new Map());
  const closed = shallowRef<readonly Closed[]>([]);
  const failures = ref<Record<string, Failure>>({});
  const isLoaded = ref(false);
  /** Why the list could not be loaded. */
  const failure = ref<Failure | null>(null);

  const open = computed(() =>
    [...known.value.values()].filter(({ state }) => state === 'open').sort(inOrder),
  );
  /** What the page shows in its place: not in the strip as well. */
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
  const deciding = new Map<string, Choice>();
  /** Questions that have closed. */
  const over = createBoundedMap<string, true>({ maxEntries: knownClosed });
  /** Ids of questions that had closed when the answer of this window arrived. */
  const refusedAnswers = new Set<string>();

  /** Questions that are answered together: without a note each. */
  const together = new Set<string>();

  const dismiss = (id: string) => {
    closed.value = closed.value.filter((note) => note.id !== id);
  };

  const change = (id: string, to: Partial<Closed>) => {
    closed.value = closed.value.map((note) => (note.id === id ? { ...note, ...to } : note));
  };

  const close = (
    confirmation: Confirmation,
    note: Pick<Closed, 'text' | 'approved'> & Partial<Closed>,
    forMs: number,
  ) => {
    const { id, createdAt } = confirmation;
    dismiss(id);
    const none = { settled: 0, at: null, made: null, undoing: false, problem: null };
    const whole = { id, createdAt, title: titleOf(confirmation), ...none, ...note };
    closed.value = [whole, ...closed.value].slice(0, keptClosed);
    clock.after(forMs, () => dismiss(id));
  };

  /** Closes a question that was answered elsewhere, or ended without an answer. */
  const closeElsewhere = (confirmation: Confirmation) => {
    const { text, approved } = outcomeOf(confirmation);
    const { id, state, decidedAt } = confirmation;
    const unused = refusedAnswers.has(id) ? '. Your answer had no effect' : '';
    if (state !== 'decided') return close(confirmation, { text: text + unused, approved }, shownMs.elsewhere);
    const lasts = confirmation.decision === 'alwaysAllow' || confirmation.decision === 'alwaysDeny';
    const where = 'in another window or on another device';
    const words = `Already ${approved ? 'allowed' : 'denied'}${lasts ? ' permanently' : ''} ${where}`;
    close(confirmation, { text: words + unused, approved, at: decidedAt }, shownMs.elsewhere);
  };

  const closeOwn = (confirmation: Confirmation, choice: Choice) => {
    const made = madeBy(choice, confirmation.reaches);
    close(confirmation, { ...outcomeOf(confirmation), made }, made ? shownMs.undo : shownMs.own);
  };

  /** One note for all questions that one answer or rule settled. */
  const settle = (confirmation: Confirmation, by: string) => {
    const id = `settled:${by}`;
    const { createdAt, settled } = closed.value.find((note) => note.id === id) ?? {
      createdAt: (known.value.get(by) ?? confirmation).createdAt,
      settled: 0,
    };
    const what = counted(settled + 1, by === 'rule' ? 'question' : 'other question');
    const text = by === 'rule' ? `A rule settled ${what}` : `Also settled ${what}`;
    const { approved } = outcomeOf(confirmation);
    close(
      { ...confirmation, id, createdAt },
      { text, title: '', approved, settled: settled + 1 },
      shownMs.elsewhere,
    );
  };

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
    if (refusedAnswers.has(id)) closeElsewhere(confirmation);
    else if (together.has(id)) return;
    else if (choice !== undefined) closeOwn(confirmation, choice);
    else if (confirmation.settledBy !== null) settle(confirmation, confirmation.settledBy);
    else closeElsewhere(confirmation);
  };

  const drop = (id: string) => {
    over.set(id, true);
    known.value = new Map([...known.value].filter(([other]) => other !== id));
  };

  /** Fetches the open questions and closes all others. */
  const load = async () => {
    const before = new Set(open.value.map(({ id }) => id));
    let list: readonly Confirmation[];
    try {
      list = await api.confirmations.list.query();
    } catch (error) {
      failure.value = failureOf(error);
      return;
    }
    failure.value = null;
    const listed = new Set(list.map(({ id }) => id));
    for (const one of open.value.filter(({ id }) => before.has(id) && !listed.has(id))) {
      drop(one.id);
      close(one, { text: 'No longer open', approved: false }, shownMs.elsewhere);
    }
    for (const confirmation of list) put(confirmation);
    isLoaded.value = true;
  };

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

  const closeRefused = (confirmation: Confirmation, text: string) => {
    refusedAnswers.add(confirmation.id);
    const now = known.value.get(confirmation.id);
    if (now && now.state !== 'open') return closeElsewhere(now);
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

  /** Gives many questions the same answer for this once, with one note in the place of their group. */
  const decideAll = async (
    { id, title, members }: { id: string; title: string; members: readonly Confirmation[] },
    decision: 'allowOnce' | 'denyOnce',
  ) => {
    for (const member of members) together.add(member.id);
    await Promise.all(members.map((member) => decide(member, { decision })));
    const done = members.filter((member) => known.value.get(member.id)?.state === 'decided').length;
    for (const member of members) together.delete(member.id);
    const [first] = members;
    if (first === undefined || done === 0) return;
    const approved = decision === 'allowOnce';
    const text = `${approved ? 'Allowed' : 'Denied'} ${counted(done, 'question')}`;
    close({ ...first, id }, { text, title, approved }, shownMs.own);
  };

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

  return {
    open,
    elsewhere,
    place,
    closed,
    failures,
    isLoaded,
    failure,
    load,
    fetch,
    onConfirmation,
    decide,
    decideAll,
    undo,
    dismiss,
  };
});
