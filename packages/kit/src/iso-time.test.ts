import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime } from './iso-time.ts';

/** The furthest that a date goes. */
const furthestMs = 8.64e15;

describe('a time', () => {
  it.each([0, 1, 999, 1_000, -1, -1_000, 1_795_334_400_007, furthestMs, -furthestMs])('of %i ms', (at) => {
    expect(isoTime(at)).toBe(new Date(at).toISOString());
  });

  it('is written as a date writes it, whatever was asked before', () => {
    const near = fc.integer({ min: -3_000, max: 3_000 });
    const far = fc.integer({ min: -furthestMs, max: furthestMs });
    fc.assert(
      fc.property(fc.array(fc.oneof(near, far)), (times) => {
        expect(times.map(isoTime)).toEqual(times.map((at) => new Date(at).toISOString()));
      }),
    );
  });

  it.each([Number.NaN, Infinity, furthestMs + 1_000])('of %d ms is none', (at) => {
    expect(() => isoTime(at)).toThrow(RangeError);
    expect(isoTime(5)).toBe('1970-01-01T00:00:00.005Z');
  });
});
