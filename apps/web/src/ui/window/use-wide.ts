import { onScopeDispose, ref, type Ref } from 'vue';

/** Whether the window has at least this width. */
export const useWide = (minRem: number): Readonly<Ref<boolean>> => {
  const query = matchMedia(`(min-width: ${minRem}rem)`);
  const wide = ref(query.matches);
  const update = () => {
    wide.value = query.matches;
  };
  query.addEventListener('change', update);
  onScopeDispose(() => query.removeEventListener('change', update));
  return wide;
};
