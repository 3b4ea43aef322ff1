import { onScopeDispose, ref, type Ref } from 'vue';

/** Whether there is room for a column beside the page. */
export const useWide = (): Readonly<Ref<boolean>> => {
  const query = matchMedia('(min-width: 80rem)');
  const wide = ref(query.matches);
  const update = () => {
    wide.value = query.matches;
  };
  query.addEventListener('change', update);
  onScopeDispose(() => query.removeEventListener('change', update));
  return wide;
};
