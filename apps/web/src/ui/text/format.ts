import { personLocale } from './locale.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const locale = personLocale(navigator.language);
const absolute = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** Rounded for the future: a new 90-day token ends in 90 days, not in 89. */
const wholeUnits = (amount: number): number => (amount > 0 ? Math.round(amount) : Math.trunc(amount));

/** "3 minutes ago", "in 2 hours"; below a minute "just now". */
export const timeFrom = (iso: string, nowMs: number): string => {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(wholeUnits(seconds / size), unit);
  }
  return 'just now';
};

const briefUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** "4 s ago", "2 min ago", "in 23 h"; "now" below a second. */
export const briefTime = (iso: string, nowMs: number): string => {
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  const size = Math.abs(seconds);
  const [unit, length] = briefUnits.find(([, long]) => size >= long) ?? [];
  if (unit === undefined) return 'now';
  const amount = Math.abs(wholeUnits(seconds / length));
  return seconds < 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
};

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });

/** "Feb 20, 2026" or "20. Feb. 2026", in the local time zone. */
export const fullDate = (iso: string): string => day.format(Date.parse(iso));

/** Date and time in the local time zone. */
export const fullTime = (iso: string): string => absolute.format(Date.parse(iso));

const clockTime = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const clockTimeMs = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const dayAndTime = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** "14:47:05.120" */
export const exactTime = (iso: string): string => clockTimeMs.format(Date.parse(iso));

/** Names a local day, to compare it with another one. */
export const dayOf = (at: number): string => fullDate(new Date(at).toISOString());

const dayMs = 86_400_000;

/** "Today", "Yesterday", else "Nov 22, 2026". */
export const dayWords = (iso: string, nowMs: number): string => {
  const [then, today] = [fullDate(iso), dayOf(nowMs)];
  if (then === today) return 'Today';
  return then === dayOf(nowMs - dayMs) ? 'Yesterday' : then;
};

const minuteTime = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** "14:47" */
export const shortTime = (iso: string): string => minuteTime.format(Date.parse(iso));

/** "14:47", with its day where that is another one than today: "Yesterday, 14:47". */
export const momentWords = (iso: string, nowMs: number): string => {
  const day = dayWords(iso, nowMs);
  return day === 'Today' ? shortTime(iso) : `${day}, ${shortTime(iso)}`;
};

/** "14:47:05" on that day, else "Nov 22, 14:47". */
export const callTime = (iso: string, day: string): string =>
  (fullDate(iso) === day ? clockTime : dayAndTime).format(Date.parse(iso));

/** "320 ms", "4.2 s", "3 min 5 s". */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
};

/** Of what still runs, in whole seconds: "12 s", "3 min 5 s", "2 h 4 min". */
export const elapsed = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** A duration in its largest unit: "24 min", "7 h", "2 d". */
export const spanWords = (ms: number): string => {
  const [unit, length] = briefUnits.find(([, long]) => ms / 1_000 >= long) ?? ['s', 1];
  return `${Math.max(1, Math.round(ms / 1_000 / length))} ${unit}`;
};

/** "4:59" */
export const countdown = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** "tool call" -> "Tool call" */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const whole = new Intl.NumberFormat(locale);

/** "12,345" */
export const amount = (count: number): string => whole.format(count);

/** "1 tool", "3 tools" */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const sizeUnits = [
  ['megabyte', 1_000_000],
  ['kilobyte', 1_000],
  ['byte', 1],
] as const;

/** "1.2 MB", "12 kB", "0 byte" */
export const fileSize = (bytes: number): string => {
  const [unit, size] = sizeUnits.find(([, least]) => bytes >= least) ?? sizeUnits[2];
  const style = { style: 'unit', unit, maximumFractionDigits: bytes < 10 * size ? 1 : 0 } as const;
  return new Intl.NumberFormat(locale, style).format(bytes / size);
};
