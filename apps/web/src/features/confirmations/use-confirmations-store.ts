import type { Confirmation, ConfirmationEvent } from '@drawbridge/contracts';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { failureOf, useApi, useClock, type Failure } from '../../api/index.ts';
import { answerOf, type Choice } from './decisions.ts';
import { outcomeOf } from './outcome.ts';

/** How many closed questions stay in sight, so that the person sees what became of them. */
const keptClosed = 3;
/** And for how long: one's own answer needs a glance, what happened elsewhere needs to be noticed. */
const shownMs = { own: 5_000, elsewhere: 60_000 };

/** What a refused answer says of its question, until the live events say more. */
const closedWords: Record<string, string | undefined> = {
  ALREADY_DECIDED: 'Answered already, elsewhere',
  CONFIRMATION_CLOSED: 'No longer open',
};

/** What became of a question. */
export interface Closed {
  id: string;
  tool: string;
  text: string;
  approved: boolean;
}

/** The questions that wait for the person, and the last ones that closed. */
export const useConfirmationsStore = defineStore('confirmations', () => {
  const api = useApi();
  const clock = useClock();
  const known = shallowRef<ReadonlyMap<string, Confirmation>>(new Map());
  const closed = shallowRef<readonly Closed[]>([]);
  const failures = ref<Record<string, Failure>>({});
  /** Whether there was a question since the panel was opened. */
  const asked = ref(false);

  const open = computed(() =>
    [...known.value.values()]
      .filter(({ state }) => state === 'open')
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)),
  );
  const deciding = new Set<string>();
  /** Questions that had closed when the person's click arrived. */
  const tooLate = new Set<string>();

  const dismiss = (id: string) => {
    closed.value = closed.value.filter((note) => note.id !== id);
  };

  const close = (note: Closed, forMs: number) => {
    dismiss(note.id);
    closed.value = [note, ...closed.value].slice(0, keptClosed);
    clock.after(forMs, () => dismiss(note.id));
  };

  const put = (confirmation: Confirmation) => {
    const before = known.value.get(confirmation.id);
    // An answer is final: a late "open" from a slower request does not bring the question back.
    if (before && before.state !== 'open' && confirmation.state === 'open') return;
    if (!before && confirmation.state !== 'open' && !tooLate.has(confirmation.id)) return;
    known.value = new Map(known.value).set(confirmation.id, confirmation);
    asked.value = true;
    if (confirmation.state === 'open' || (before && before.state !== 'open')) return;
    const { id, tool } = confirmation;
    const { text, approved } = outcomeOf(confirmation);
    if (tooLate.has(id))
      close({ id, tool, text: `${text}. Your click did nothing`, approved }, shownMs.elsewhere);
    else if (deciding.has(id)) close({ id, tool, text, approved }, shownMs.own);
    else
      close(
        { id, tool, text: confirmation.state === 'decided' ? `${text}, in another window` : text, approved },
        shownMs.elsewhere,
      );
  };

  const drop = (id: string) => {
    known.value = new Map([...known.value].filter(([other]) => other !== id));
  };

  /** Fetches the open ones; a question that the server no longer has open leaves. */
  const load = async () => {
    const before = new Set(open.value.map(({ id }) => id));
    const list = await api.confirmations.list.query().catch(() => null);
    if (list === null) return;
    const listed = new Set(list.map(({ id }) => id));
    for (const { id, tool } of open.value.filter((one) => before.has(one.id) && !listed.has(one.id))) {
      drop(id);
      close({ id, tool, text: 'No longer open', approved: false }, shownMs.elsewhere);
    }
    for (const confirmation of list) put(confirmation);
  };

  /** Fetches one, also when it is no longer open. */
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

  const comeTooLate = ({ id, tool }: Confirmation, text: string) => {
    tooLate.add(id);
    const now = known.value.get(id);
    if (now && now.state !== 'open') {
      const outcome = outcomeOf(now);
      return close(
        { id, tool, text: `${outcome.text}. Your click did nothing`, approved: outcome.approved },
        shownMs.elsewhere,
      );
    }
    drop(id);
    close({ id, tool, text: `${text}. Your click did nothing`, approved: false }, shownMs.elsewhere);
  };

  /** Answers a question. What another answered first, or what closed meanwhile, shows as such. */
  const decide = async (confirmation: Confirmation, choice: Choice) => {
    delete failures.value[confirmation.id];
    deciding.add(confirmation.id);
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
      if (closedAs !== undefined) comeTooLate(confirmation, closedAs);
      else failures.value[confirmation.id] = failure;
    } finally {
      deciding.delete(confirmation.id);
    }
  };

  return { open, closed, asked, failures, load, fetch, onConfirmation, decide, dismiss };
});
