import { expect, it } from 'vitest';
import { parseUrl } from './index.ts';

it('reads an absolute address, and gives undefined for any other text', () => {
  expect(parseUrl('https://EXAMPLE.org/a')?.href).toBe('https://example.org/a');
  expect(['', 'example.org', 'https://', 'https://a b'].map(parseUrl)).toEqual(Array(4).fill(undefined));
});

it('SS-15 reads a name with umlauts however often it is asked', () => {
  const hosts = new Set(Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example')?.hostname));
  expect([...hosts]).toEqual(['xn--bcher-kva.example']);
});
