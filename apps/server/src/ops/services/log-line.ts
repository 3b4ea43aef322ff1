import type { ServiceLogLine } from '@drawbridge/contracts/rpc/ops';

export type LogLine = ServiceLogLine;

/** The level of a priority of syslog. */
export const levelOf = (priority: number): LogLine['level'] => {
  if (priority <= 3) return 'error';
  if (priority === 4) return 'warn';
  return priority <= 6 ? 'info' : 'debug';
};

/** The level that a line of plain text names. */
export const levelIn = (text: string): LogLine['level'] => {
  if (/\b(error|fatal|panic|critical)\b/i.test(text)) return 'error';
  if (/\bwarn(ing)?\b/i.test(text)) return 'warn';
  return /\b(debug|trace)\b/i.test(text) ? 'debug' : 'info';
};
