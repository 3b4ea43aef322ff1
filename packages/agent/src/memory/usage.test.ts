import { expect, it } from 'vitest';
import { sumOf, usageOfCall } from './usage.ts';

const info = { contextTokens: 1_000, maxOutputTokens: 100 };
const request = { use: 'main' as const, system: ['x'.repeat(7_000)], messages: [], tools: [] };
const estimatedInput = 2_000;
const said = { parts: [{ type: 'text' as const, text: 'y'.repeat(35) }], calls: [] };
const used = (input: number, output: number, cached = 0) =>
  usageOfCall(
    { ...said, usage: { inputTokens: input, outputTokens: output, cachedTokens: cached } },
    request,
    info,
  );
const asSaid = (inputTokens: number, outputTokens: number, cachedTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedTokens,
});
const estimated = {
  inputTokens: expect.any(Number) as number,
  outputTokens: expect.any(Number) as number,
  cachedTokens: 0,
  estimated: true,
};

it.each([
  ['what can be', used(1_500, 90, 100), asSaid(1_500, 90, 100)],
  ['10 to the 300', used(1e300, 1e300, 1e300), asSaid(7_000, 100, 7_000)],
  ['infinity', used(Infinity, 5), estimated],
  ['no number', used(Number.NaN, 5), estimated],
  ['below zero', used(-1e300, -5, -7), estimated],
  ['nothing for a prompt', used(0, 5), estimated],
  ['nothing for an answer', used(5, 0), estimated],
  ['more cached than read', used(10, 5, 1e300), asSaid(10, 5, 10)],
  ['cached below zero, which would be a gain', used(10, 5, -1e300), asSaid(10, 5)],
  ['no numbers', usageOfCall({ ...said, usage: null }, request, info), estimated],
])('NA-10: counts %s', (_what, usage, expected) => {
  expect(usage).toEqual(expected);
  expect(usage.inputTokens).toBeGreaterThan(0);
  expect(usage.inputTokens).toBeLessThanOrEqual(7_000);
});

it('counts a picture by its place and not by its bytes', () => {
  const data = 'A'.repeat(1_000_000);
  const message = {
    role: 'user' as const,
    parts: [{ type: 'image' as const, data, mediaType: 'image/png' }],
  };
  const { inputTokens } = usageOfCall({ ...said, usage: null }, { ...request, messages: [message] }, info);
  expect(inputTokens).toBeLessThan(estimatedInput + 5_000);
  expect(inputTokens).toBeGreaterThan(estimatedInput);
});

it('adds the tries of a step, and says that one was estimated', () => {
  const one = { inputTokens: 1, outputTokens: 2, cachedTokens: 0 };
  expect(sumOf([one, { ...one, estimated: true }])).toEqual({
    inputTokens: 2,
    outputTokens: 4,
    cachedTokens: 0,
    estimated: true,
  });
  expect(sumOf([])).toEqual({ inputTokens: 0, outputTokens: 0, cachedTokens: 0 });
});
