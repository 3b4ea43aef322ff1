import type { RuntimeList } from '@drawbridge/contracts/machines/runtimes';
import { computed, shallowRef, watch } from 'vue';
import { createLoaded, createRequest, useApi } from '../../api/index.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';

/** A test that was asked for; its result once it has one. */
export interface Tested {
  id: string;
  result: NonNullable<RuntimeList['tested']> | null;
}

/** The coding agents of a machine, asked of it now and when it connects or offers other tools. */
export const useRuntimes = (machineId: string) => {
  const api = useApi();
  const machines = useMachinesStore();
  const { value, failure, load, set } = createLoaded(() => api.machines.runtimes.query({ machineId }));
  const testing = createRequest();
  /** The one that is being tested. */
  const tested = shallowRef<Tested | null>(null);
  /** Each question starts programs there, so not at every change of its latency. */
  const offered = () => {
    const { connectedAt = null, modes = null, toolCount = 0 } = machines.of(machineId) ?? {};
    return JSON.stringify([connectedAt, modes?.runtime, toolCount]);
  };
  watch(offered, load, { immediate: true });

  return {
    runtimes: computed(() => value.value?.runtimes ?? []),
    failure: computed(() => testing.failure.value ?? failure.value),
    busy: testing.busy,
    tested,
    test: (id: string) => {
      tested.value = { id, result: null };
      return testing.run(async () => {
        const list = await api.machines.testRuntime.mutate({ machineId, runtime: id });
        set(list);
        tested.value = list.tested === undefined ? null : { id, result: list.tested };
      });
    },
  };
};
