import type { Clock } from '@drawbridge/kit';
import type { GatewayLimits } from '../limits.ts';

/** Watches how often daemons take one machine from each other. */
export interface Flapping {
  /** Counts one taking; true when that was one too many. */
  takes(machineId: string): boolean;
}

/**
 * More than `maxTakings` within `takingsWindowMs` is too often. Machines that are left alone are forgotten.
 */
export const createFlapping = (needs: { clock: Clock; limits: GatewayLimits }): Flapping => {
  const { clock, limits } = needs;
  const takings = new Map<string, number[]>();
  const recent = (times: number[]) => times.filter((at) => clock.now() - at < limits.takingsWindowMs);
  return {
    takes: (machineId) => {
      for (const [id, times] of takings) if (recent(times).length === 0) takings.delete(id);
      const times = [...recent(takings.get(machineId) ?? []), clock.now()];
      takings.set(machineId, times);
      return times.length > limits.maxTakings;
    },
  };
};
