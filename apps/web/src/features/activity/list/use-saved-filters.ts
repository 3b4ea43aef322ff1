import { computed, shallowRef, watch } from 'vue';
import { createStored } from '../../../api/index.ts';
import { useSessionStore } from '../../session/use-session-store.ts';
import { readFilter, toQuery, type ActivityFilter } from '../filter.ts';

export const mostSavedFilters = 9;
export const longestFilterName = 40;

/** A filter that the person named. */
export interface SavedFilter {
  name: string;
  filter: ActivityFilter;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** What does not fit, also of another version of the panel, is left out. */
const parse = (text: string | null): SavedFilter[] => {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    return (Array.isArray(all) ? all : []).flatMap((one: unknown) => {
      if (!isRecord(one) || typeof one['name'] !== 'string' || !isRecord(one['query'])) return [];
      const texts = Object.entries(one['query']).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      );
      return { name: one['name'], filter: readFilter(Object.fromEntries(texts)) };
    });
  } catch {
    return [];
  }
};

export const isSameFilter = (one: ActivityFilter, other: ActivityFilter): boolean =>
  JSON.stringify(toQuery(one)) === JSON.stringify(toQuery(other));

/** The filters that the signed-in person has saved in this browser, in the order in which they were saved. */
export const useSavedFilters = () => {
  const session = useSessionStore();
  const stored = computed(() => createStored(`drawbridge-filters ${session.user?.id ?? ''}`));
  const saved = shallowRef<readonly SavedFilter[]>([]);
  watch(stored, (place) => (saved.value = parse(place.read())), { immediate: true });
  const write = (next: readonly SavedFilter[]) => {
    saved.value = next;
    const rows = next.map(({ name, filter }) => ({ name, query: toQuery(filter) }));
    stored.value.write(rows.length === 0 ? null : JSON.stringify(rows));
  };
  /** One of the same name is replaced in its place. */
  const save = (name: string, filter: ActivityFilter) => {
    const isKnown = saved.value.some((one) => one.name === name);
    if (isKnown) write(saved.value.map((one) => (one.name === name ? { name, filter } : one)));
    else if (saved.value.length < mostSavedFilters) write([...saved.value, { name, filter }]);
  };
  const remove = (name: string) => write(saved.value.filter((one) => one.name !== name));
  return { saved, save, remove };
};
