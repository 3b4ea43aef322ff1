import type { EndCause, ShownProcess } from '@drawbridge/contracts/machines/processes';

const causes: Record<EndCause, string> = {
  exited: 'Ended',
  stopped: 'Stopped by its agent',
  user: 'Stopped by you',
  idle: 'Stopped after 2 hours without activity',
  life: 'Stopped after 24 hours',
  denied: 'Stopped by a rule or permission',
  daemon: 'Ended with drawbridge',
  failed: 'Failed',
};

const waiting = { input: 'waits for input', password: 'asks for a password' } as const;

/** "Running, waits for input", "Ended with code 1", "Stopped by you". */
export const stateWords = ({ end, waits }: Pick<ShownProcess, 'end' | 'waits'>): string => {
  if (end === null) return waits === undefined ? 'Running' : `Running, ${waiting[waits]}`;
  if (end.cause !== 'exited') return causes[end.cause];
  return end.signal === undefined
    ? `${causes.exited} with code ${end.exitCode}`
    : `${causes.exited} by ${end.signal}`;
};
