import { onScopeDispose, ref, type Ref } from 'vue';
import { useClock } from '../../api/index.ts';

/** The clock's time in milliseconds, updated each second. */
export const useNow = (): Readonly<Ref<number>> => {
  const clock = useClock();
  const now = ref(clock.now());
  onScopeDispose(
    clock.every(1_000, () => {
      now.value = clock.now();
    }),
  );
  return now;
};
