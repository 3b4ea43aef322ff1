import type { Clock } from '@drawbridge/kit';

interface Grace {
  until: number;
  cancel(): void;
}

/** The graces that run on this server, by machine. */
export const createGraces = (clock: Clock) => {
  const running = new Map<string, Grace>();
  const stop = (machineId: string) => {
    running.get(machineId)?.cancel();
    running.delete(machineId);
  };
  return {
    start: (machineId: string, ms: number, over: () => void) => {
      stop(machineId);
      const cancel = clock.after(ms, () => {
        running.delete(machineId);
        over();
      });
      running.set(machineId, { until: clock.now() + ms, cancel });
    },
    stop,
    /** When the grace of that machine is over; now where none runs. */
    untilOf: (machineId: string): number => running.get(machineId)?.until ?? clock.now(),
    stopAll: () => {
      for (const machineId of [...running.keys()]) stop(machineId);
    },
  };
};

export type Graces = ReturnType<typeof createGraces>;
