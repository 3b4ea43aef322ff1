import type { Clock } from '@drawbridge/kit';
import type { GatewayLimits } from '../limits.ts';

/** The limit is `maxTakings` within `takingsWindowMs`. Machines without recent takeovers are dropped. */
export const createFlapping = (needs: { clock: Clock; limits: GatewayLimits }) => {
  const { clock, limits } = needs;
  const takeovers = new Map<string, number[]>();
  const recent = (times: number[]) => times.filter((at) => clock.now() - at < limits.takingsWindowMs);
  return {
    /** Counts one takeover; true if it exceeds the limit. */
    countTakeover: (machineId: string): boolean => {
      for (const [id, times] of takeovers) if (recent(times).length === 0) takeovers.delete(id);
      const times = [...recent(takeovers.get(machineId) ?? []), clock.now()];
      takeovers.set(machineId, times);
      return times.length > limits.maxTakings;
    },
  };
};

/** Detects daemons that keep replacing each other on one machine. */
export type Flapping = ReturnType<typeof createFlapping>;
