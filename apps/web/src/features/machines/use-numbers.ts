import { onMounted, watch } from 'vue';
import { createLoaded, useApi, useClock } from '../../api/index.ts';
import { useCallsStore } from '../calls/use-calls-store.ts';

/** Today's calls of each machine, in the browser's time zone; null until loaded. A new call reloads them. */
export const useNumbers = () => {
  const api = useApi();
  const clock = useClock();
  const calls = useCallsStore();
  const { value, load } = createLoaded(() => {
    const midnight = new Date(clock.now());
    midnight.setHours(0, 0, 0, 0);
    return api.machines.numbers.query({ since: midnight.toISOString() });
  });
  onMounted(load);
  watch(() => calls.calls[0]?.requestId, load);
  return (machineId: string) =>
    value.value &&
    (value.value.find((numbers) => numbers.machineId === machineId) ?? { calls: 0, asked: 0, denied: 0 });
};
