import { computed, ref, watch } from 'vue';

/** The reason of a denial: null until the person wants to give one, and again when the question changes. */
export const useReason = (content: () => string) => {
  const reason = ref<string | null>(null);
  const said = computed(() => reason.value?.trim() ?? '');
  watch(content, () => (reason.value = null), { flush: 'sync' });
  return { reason, said };
};
