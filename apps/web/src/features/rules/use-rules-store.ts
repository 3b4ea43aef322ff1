import type { KnownRules } from '@drawbridge/contracts/rule-list';
import type { NewRule } from '@drawbridge/contracts/rules';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';

/** The rules of the machine, as its daemon last told them. */
export const useRulesStore = defineStore('rules', () => {
  const api = useApi();
  const list = shallowRef<KnownRules | null>(null);
  const failure = ref<Failure | null>(null);
  const busy = ref(false);

  /** Gives whether it worked. What fails leaves the list as it was, beside why. */
  const take = async (asked: Promise<KnownRules>): Promise<boolean> => {
    busy.value = true;
    try {
      list.value = await asked;
      failure.value = null;
      return true;
    } catch (error) {
      failure.value = failureOf(error);
      return false;
    } finally {
      busy.value = false;
    }
  };

  return {
    list,
    failure,
    busy,
    load: () => take(api.rules.list.query()),
    remove: (ruleId: string) => take(api.rules.remove.mutate({ ruleId })),
    add: (rule: NewRule) => take(api.rules.add.mutate(rule)),
  };
});
