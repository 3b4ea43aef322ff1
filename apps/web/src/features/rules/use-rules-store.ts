import type { KnownRules } from '@drawbridge/contracts/rule-list';
import type { NewRule } from '@drawbridge/contracts/rules';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { createRequest, useApi } from '../../api/index.ts';

/** The rules of one machine, as last reported by its daemon. */
export const useRulesStore = defineStore('rules', () => {
  const api = useApi();
  const machineId = ref('');
  const list = shallowRef<KnownRules | null>(null);
  const { busy, failure, run } = createRequest();

  /** Resolves to whether it succeeded. A failure keeps the previous list. */
  const update = (request: (machineId: string) => Promise<KnownRules>) =>
    run(async () => {
      const of = machineId.value;
      const rules = await request(of);
      if (of === machineId.value) list.value = rules;
    });

  return {
    list,
    failure,
    busy,
    /** The machine that the list is of. */
    choose: (id: string) => {
      if (id === machineId.value) return;
      machineId.value = id;
      list.value = null;
      failure.value = null;
    },
    load: () => update((id) => api.rules.list.query({ machineId: id })),
    remove: (ruleId: string) => update((id) => api.rules.remove.mutate({ machineId: id, ruleId })),
    add: (rule: NewRule) => update((id) => api.rules.add.mutate({ machineId: id, ...rule })),
  };
});
