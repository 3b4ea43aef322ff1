import { computed, shallowRef, watch, type Ref } from 'vue';
import { useRoute } from 'vue-router';
import { isOf, questionsIn, type InboxEntry } from './inbox-entries.ts';

/** The entry that the address names, among those that are `shown`, and the ones around it. */
export const useEntry = (shown: Readonly<Ref<readonly InboxEntry[]>>) => {
  const route = useRoute();
  const id = computed(() => String(route.params['confirmationId'] ?? ''));
  const at = computed(() =>
    shown.value.findIndex((entry) => isOf(entry, id.value, route.query['group'] !== undefined)),
  );
  const entry = computed(() => shown.value[at.value]);
  const waiting = computed(() => shown.value.filter(({ kind }) => kind !== 'closed'));
  const others = computed(() => waiting.value.filter((one) => one !== entry.value));
  /** The entry that was open last, and its place: an answer takes it from the list. */
  const last = shallowRef<{ id: string; at: number }>();
  watch(
    [entry, at],
    ([now, place]) => {
      if (now !== undefined && now.kind !== 'closed') last.value = { id: now.id, at: place };
    },
    { immediate: true, flush: 'sync' },
  );
  /** The next one below, else the first one. */
  const next = computed(() => {
    const from = at.value === -1 ? (last.value?.at ?? 0) : at.value + 1;
    return others.value.find((one) => shown.value.indexOf(one) >= from) ?? others.value[0];
  });
  /** The next one that waits above or below; with none open, the first one. */
  const step = (by: 1 | -1): InboxEntry | undefined => {
    const after =
      by > 0 ? shown.value.slice(at.value + 1) : shown.value.slice(0, Math.max(0, at.value)).toReversed();
    return (
      after.find(({ kind }) => kind !== 'closed') ??
      (by > 0 && id.value === '' ? waiting.value[0] : undefined)
    );
  };
  /** The number of questions, as in the badge. */
  const nextLabel = computed(() => `Next (${questionsIn(others.value)})`);
  return { id, entry, waiting, last, next, nextLabel, step };
};
