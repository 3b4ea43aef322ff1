import { undoTool } from '@drawbridge/contracts/machines/undo-change';
import { computed, shallowRef, watch } from 'vue';
import { useRouter } from 'vue-router';
import type { Run } from './create-run.ts';
import { useRunsStore } from './use-runs-store.ts';

/** Undoes what calls changed on a machine: its question opens, and shows the changes back. */
export const useUndo = () => {
  const router = useRouter();
  const runs = useRunsStore();
  const begun = shallowRef<Run | null>(null);
  watch(
    () => begun.value?.summary.value?.requestId,
    (made) => made !== undefined && void router.push(`/activity/${made}`),
  );
  const undo = (machineId: string, changes: readonly string[]) => {
    begun.value = runs.of(machineId, undoTool);
    void begun.value.run({ changes });
  };
  return {
    undo,
    busy: computed(() => begun.value?.busy.value === true),
    failure: computed(() => begun.value?.failure.value ?? null),
  };
};
