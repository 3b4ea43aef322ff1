import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric } from './metrics-text.ts';

const nanoseconds = 1e9;
const microseconds = 1e6;
const resolutionMs = 20;

/** How this process is: its event loop since the last look, its memory and its processor time. */
export const createProcessMetrics = () => {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  return {
    read: (): Metric[] => {
      const { user, system } = process.cpuUsage();
      const quantiles = { '0.5': delay.percentile(50), '0.99': delay.percentile(99), '1': delay.max };
      const values = Object.entries(quantiles).map(([quantile, ns]) => ({
        labels: { quantile },
        value: Math.max(0, ns / nanoseconds - resolutionMs / 1_000),
      }));
      delay.reset();
      return [
        {
          name: 'drawbridge_event_loop_delay_seconds',
          type: 'gauge',
          help: 'How late timers ran since the last request for metrics.',
          values,
        },
        {
          name: 'drawbridge_cpu_seconds_total',
          type: 'counter',
          help: 'Processor time of the process.',
          values: (user + system) / microseconds,
        },
        {
          name: 'drawbridge_resident_memory_bytes',
          type: 'gauge',
          help: 'Resident memory of the process.',
          values: process.memoryUsage.rss(),
        },
      ];
    },
    stop: (): void => void delay.disable(),
  };
};
