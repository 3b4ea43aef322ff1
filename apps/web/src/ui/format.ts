const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** "3 minutes ago", "in 2 hours"; below a minute "just now". */
export const timeFrom = (iso: string, nowMs: number): string => {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return 'just now';
};

/** Date and time in the person's own zone. */
export const fullTime = (iso: string): string => absolute.format(Date.parse(iso));

/** "320 ms", "4.2 s", "3 min 5 s". */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
};

/** "4:59" */
export const countdown = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** "tool call" -> "Tool call" */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const whole = new Intl.NumberFormat('en');

/** "12,345" */
export const amount = (count: number): string => whole.format(count);

/** "1 tool", "3 tools" */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
