import type { Confirmation, ConfirmationEvent, Decision } from '@drawbridge/contracts';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { failureOf, useApi, useClock, type Failure } from '../../api/index.ts';
import { answerOf } from './decisions.ts';
import { outcomeOf } from './outcome.ts';

/** How many closed questions stay in sight, so that the person sees what became of them. */
const keptClosed = 3;
/** And for how long: one's own answer needs a glance, what happened elsewhere needs to be noticed. */
const shownMs = { own: 5_000, elsewhere: 60_000 };

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

  const open = computed(() =>
    [...known.value.values()]
      .filter(({ state }) => state === 'open')
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)),
  );
  const deciding = new Set<string>();

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
    if (!before && confirmation.state !== 'open') return;
    known.value = new Map(known.value).set(confirmation.id, confirmation);
    if (before?.state !== 'open' || confirmation.state === 'open') return;
    const { id, tool } = confirmation;
    const { text, approved } = outcomeOf(confirmation);
    if (deciding.has(id)) close({ id, tool, text, approved }, shownMs.own);
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
    const asked = new Set(open.value.map(({ id }) => id));
    const list = await api.confirmations.list.query().catch(() => null);
    if (list === null) return;
    const listed = new Set(list.map(({ id }) => id));
    for (const { id, tool } of open.value.filter((one) => asked.has(one.id) && !listed.has(one.id))) {
      drop(id);
      close({ id, tool, text: 'No longer open', approved: false }, shownMs.elsewhere);
    }
    for (const confirmation of list) put(confirmation);
  };

  const onConfirmation = ({ confirmation }: ConfirmationEvent) => put(confirmation);

  /** Answers a question. What another answered first, or what closed meanwhile, shows as such. */
  const decide = async (confirmation: Confirmation, decision: Decision) => {
    delete failures.value[confirmation.id];
    deciding.add(confirmation.id);
    try {
      const reply = await api.confirmations.decide.mutate({
        confirmationId: confirmation.id,
        ...answerOf(decision),
      });
      put({ ...confirmation, state: reply.state, approved: reply.approved, decision: reply.decision });
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === 'ALREADY_DECIDED' || failure.code === 'CONFIRMATION_CLOSED') {
        drop(confirmation.id);
        close(
          { id: confirmation.id, tool: confirmation.tool, text: failure.message, approved: false },
          shownMs.elsewhere,
        );
      } else failures.value[confirmation.id] = failure;
    } finally {
      deciding.delete(confirmation.id);
    }
  };

  return { open, closed, failures, load, onConfirmation, decide, dismiss };
});
