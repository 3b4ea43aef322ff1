import type { KnownRules } from '@drawbridge/contracts/rule-list';
import type { NewRule } from '@drawbridge/contracts/rules';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { attempt, useApi, type Failure } from '../../api/index.ts';

/** The rules of the machine, as last reported by its daemon. */
export const useRulesStore = defineStore('rules', () => {
  const api = useApi();
  const list = shallowRef<KnownRules | null>(null);
  const failure = ref<Failure | null>(null);
  const busy = ref(false);

  /** Resolves to whether it succeeded. A failure keeps the previous list. */
  const update = async (request: () => Promise<KnownRules>): Promise<boolean> => {
    busy.value = true;
    failure.value = await attempt(async () => (list.value = await request()));
    busy.value = false;
    return failure.value === null;
  };

  return {
    list,
    failure,
    busy,
    load: () => update(() => api.rules.list.query()),
    remove: (ruleId: string) => update(() => api.rules.remove.mutate({ ruleId })),
    add: (rule: NewRule) => update(() => api.rules.add.mutate(rule)),
  };
});
