import { expect, it } from 'vitest';
import { personLocale } from './locale.ts';

it.each([
  ['en-US', 'Nov 26, 2026', '12,345'],
  ['de-DE', '26.11.2026', '12.345'],
  ['th-TH', '26 พ.ย. 2026', '12,345'],
  ['en-US@posix', 'Nov 26, 2026', '12,345'],
])('writes dates and numbers for %s', (language, date, number) => {
  const locale = personLocale(language);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  expect(format.format(Date.UTC(2026, 10, 26))).toBe(date);
  expect(new Intl.NumberFormat(locale).format(12_345)).toBe(number);
});
