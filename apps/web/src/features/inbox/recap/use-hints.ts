import type { Repeated } from '@drawbridge/contracts/machines/repeated';
import type { KnownRules, ShownRule } from '@drawbridge/contracts/rule-list';
import { attemptRemoval, createLoaded, useApi, useClock } from '../../../api/index.ts';

/** Rules are asked of so many machines. */
const mostMachines = 20;
const unusedMs = 30 * 86_400_000;

export interface UnusedRule {
  machineId: string;
  rule: ShownRule;
}

/** Whether a lasting allow rule is known to have answered nothing for 30 days. */
const isUnused = ({ effect, lasts, usedAt, madeAt }: ShownRule, now: number): boolean => {
  const since = usedAt ?? madeAt;
  return effect === 'allow' && lasts === 'always' && since !== null && Date.parse(since) <= now - unusedMs;
};

/** Whether the machine says all of its rules, and none of them allows this. */
const isMissing = ({ rules, total }: KnownRules, { covers }: Repeated): boolean =>
  rules.length === total && rules.every((rule) => rule.effect !== 'allow' || rule.covers !== covers);

/** Rules that would have saved questions, and rules that have answered none. */
export const useHints = (machineIds: readonly string[]) => {
  const api = useApi();
  const clock = useClock();
  const { value, load } = createLoaded(async () => {
    const repeated = await api.calls.repeated.query();
    const ids = [...new Set([...machineIds, ...repeated.map(({ machineId }) => machineId)])];
    const lists = new Map(
      await Promise.all(
        ids.slice(0, mostMachines).map(async (machineId) => {
          // A machine that is away, or older than rules, has nothing to say.
          const known = await api.rules.list.query({ machineId }).catch(() => null);
          return [machineId, known] as const;
        }),
      ),
    );
    return {
      repeated: repeated.filter((one) => {
        const known = lists.get(one.machineId);
        return known ? isMissing(known, one) : false;
      }),
      unused: [...lists].flatMap(([machineId, known]): UnusedRule[] =>
        known === null || known.asOf !== undefined
          ? []
          : known.rules.filter((rule) => isUnused(rule, clock.now())).map((rule) => ({ machineId, rule })),
      ),
    };
  });
  const remove = async ({ machineId, rule }: UnusedRule) => {
    const failed = await attemptRemoval(() => api.rules.remove.mutate({ machineId, ruleId: rule.id }));
    if (failed === null) await load();
    return failed;
  };
  return { hints: value, load, remove };
};
