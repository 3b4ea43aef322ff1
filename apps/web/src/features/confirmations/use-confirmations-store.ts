import type { Confirmation, ConfirmationEvent, Decision } from '@drawbridge/contracts';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';
import { answerOf } from './decisions.ts';

/** How many closed questions stay in sight, so that the person sees what became of them. */
const keptClosed = 3;

/** The questions that wait for the person, and the last ones that closed. */
export const useConfirmationsStore = defineStore('confirmations', () => {
  const api = useApi();
  const known = shallowRef<ReadonlyMap<string, Confirmation>>(new Map());
  const closedIds = ref<string[]>([]);
  const failures = ref<Record<string, Failure>>({});

  const open = computed(() =>
    [...known.value.values()]
      .filter(({ state }) => state === 'open')
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)),
  );
  const closed = computed(() => closedIds.value.flatMap((id) => known.value.get(id) ?? []));

  const put = (confirmation: Confirmation) => {
    const before = known.value.get(confirmation.id);
    // An answer is final: a late "open" from a slower request does not bring the question back.
    if (before && before.state !== 'open' && confirmation.state === 'open') return;
    if (!before && confirmation.state !== 'open') return;
    known.value = new Map(known.value).set(confirmation.id, confirmation);
    if (before?.state === 'open' && confirmation.state !== 'open') {
      closedIds.value = [confirmation.id, ...closedIds.value].slice(0, keptClosed);
    }
  };

  /** Fetches the open ones; a question that the server no longer has open leaves. */
  const load = async () => {
    const asked = new Set(open.value.map(({ id }) => id));
    const list = await api.confirmations.list.query().catch(() => null);
    if (list === null) return;
    const listed = new Set(list.map(({ id }) => id));
    known.value = new Map([...known.value].filter(([id, { state }]) => state !== 'open' || !asked.has(id) || listed.has(id)));
    for (const confirmation of list) put(confirmation);
  };

  const onConfirmation = ({ confirmation }: ConfirmationEvent) => put(confirmation);

  /** Answers a question. What another answered first, or what closed meanwhile, shows as such. */
  const decide = async (confirmation: Confirmation, decision: Decision) => {
    delete failures.value[confirmation.id];
    try {
      const reply = await api.confirmations.decide.mutate({ confirmationId: confirmation.id, ...answerOf(decision) });
      put({ ...confirmation, state: reply.state, approved: reply.approved, decision: reply.decision });
    } catch (error) {
      const failure = failureOf(error);
      failures.value[confirmation.id] = failure;
      if (failure.code === 'ALREADY_DECIDED' || failure.code === 'CONFIRMATION_CLOSED') await load();
    }
  };

  const dismiss = (id: string) => {
    closedIds.value = closedIds.value.filter((other) => other !== id);
  };

  return { open, closed, failures, load, onConfirmation, decide, dismiss };
});
