import type { ProcessList } from '@drawbridge/contracts/machines/processes';
import { computed, onMounted, onUnmounted, ref } from 'vue';
import { createLoaded, createRequest, useApi, useClock } from '../../api/index.ts';

const followMs = 1_000;
/** While no process runs. */
const idleMs = 5_000;

/** The processes of a machine, read again each second while one runs and the window is seen. */
export const useProcesses = (machineId: string) => {
  const api = useApi();
  const clock = useClock();
  const shown = ref<string | null>(null);
  const { value, failure, load, set } = createLoaded(() =>
    api.processes.list.query({ machineId, ...(shown.value !== null && { show: shown.value }) }),
  );
  const stopping = createRequest();
  const opening = createRequest();
  const opened = ref<ProcessList['opened']>();
  let cancel = () => {};
  let isOver = false;

  const follow = async () => {
    cancel();
    if (document.visibilityState === 'visible') await load();
    if (isOver) return;
    const isRunning = value.value?.processes.some(({ end }) => end === null) ?? false;
    cancel = clock.after(isRunning ? followMs : idleMs, () => void follow());
  };
  onMounted(follow);
  onUnmounted(() => {
    isOver = true;
    cancel();
  });

  return {
    processes: computed(() => value.value?.processes ?? []),
    /** Of the one that is shown, once it is there. */
    output: computed(() => {
      const output = value.value?.output;
      return output !== undefined && output.process === shown.value ? output.text : null;
    }),
    failure: computed(() => stopping.failure.value ?? opening.failure.value ?? failure.value),
    busy: stopping.busy,
    shown,
    show: (id: string | null) => {
      shown.value = id;
      void follow();
    },
    /** The port that was opened last, and where. */
    opened,
    open: (process: string, port: number) =>
      opening.run(async () => {
        opened.value = (await api.processes.open.mutate({ machineId, process, port })).opened;
      }),
    stop: (process: string) =>
      stopping.run(async () => set(await api.processes.stop.mutate({ machineId, process }))),
  };
};
