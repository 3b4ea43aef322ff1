import type { KnownRules } from '@drawbridge/contracts/rule-list';
import type { NewRule } from '@drawbridge/contracts/rules';
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { createRequest, useApi } from '../../api/index.ts';

/** The rules of the machine, as last reported by its daemon. */
export const useRulesStore = defineStore('rules', () => {
  const api = useApi();
  const list = shallowRef<KnownRules | null>(null);
  const { busy, failure, run } = createRequest();

  /** Resolves to whether it succeeded. A failure keeps the previous list. */
  const update = (request: () => Promise<KnownRules>) => run(async () => (list.value = await request()));

  return {
    list,
    failure,
    busy,
    load: () => update(() => api.rules.list.query()),
    remove: (ruleId: string) => update(() => api.rules.remove.mutate({ ruleId })),
    add: (rule: NewRule) => update(() => api.rules.add.mutate(rule)),
  };
});
