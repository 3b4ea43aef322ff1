import { expect, it } from 'vitest';
import { amount, briefTime, countdown, counted, duration, elapsed, fileSize, timeFrom } from './format.ts';

const now = Date.UTC(2026, 0, 10);

it.each([
  ['2026-01-09T23:59:31.000Z', 'just now'],
  ['2026-01-09T23:57:00.000Z', '3 minutes ago'],
  ['2026-01-09T21:00:00.000Z', '3 hours ago'],
  ['2026-01-08T23:00:00.000Z', 'yesterday'],
  ['2026-01-12T00:00:00.000Z', 'in 2 days'],
  ['2026-04-09T23:59:58.000Z', 'in 90 days'],
])('says when %s was', (iso, expected) => {
  expect(timeFrom(iso, now)).toBe(expected);
});

it.each([
  [7, '7 ms'],
  [4_200, '4.2 s'],
  [185_000, '3 min 5 s'],
])('says how long %d ms are', (ms, expected) => {
  expect(duration(ms)).toBe(expected);
});

it.each([
  [-400, '0 s'],
  [12_900, '12 s'],
  [185_999, '3 min 5 s'],
  [7_440_000, '2 h 4 min'],
])('says that something runs for %d ms', (ms, expected) => {
  expect(elapsed(ms)).toBe(expected);
});

it.each([
  [300_000, '5:00'],
  [299_001, '5:00'],
  [9_000, '0:09'],
  [-1, '0:00'],
])('counts %d ms down', (ms, expected) => {
  expect(countdown(ms)).toBe(expected);
});

it.each([
  [0, '0 byte'],
  [999, '999 byte'],
  [1_240, '1.2 kB'],
  [48_600, '49 kB'],
  [2_500_000, '2.5 MB'],
])('says how large a file of %d bytes is', (bytes, expected) => {
  expect(fileSize(bytes)).toBe(expected);
});

it('counts things', () => {
  expect(amount(1_234_567)).toBe('1,234,567');
  expect([counted(1, 'tool'), counted(3, 'tool')]).toEqual(['1 tool', '3 tools']);
});

it.each([
  ['2026-01-10T00:00:00.400Z', 'now'],
  ['2026-01-09T23:59:56.000Z', '4 s ago'],
  ['2026-01-09T23:57:10.000Z', '2 min ago'],
  ['2026-01-10T23:59:59.000Z', 'in 24 h'],
  ['2026-01-10T23:10:00.000Z', 'in 23 h'],
  ['2026-01-01T00:00:00.000Z', '9 d ago'],
])('says in brief when %s is', (iso, expected) => {
  expect(briefTime(iso, now)).toBe(expected);
});
