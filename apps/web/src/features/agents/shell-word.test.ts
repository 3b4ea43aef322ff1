import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellLine, shellWord } from './shell-word.ts';

const readBySh = (...words: string[]): string[] =>
  execFileSync('sh', ['-c', `for word in ${shellLine(...words)}; do printf '%s\\0' "$word"; done`])
    .toString()
    .split('\0')
    .slice(0, -1);

it.each([
  ['a plain word', 'https://bridge.example.org/mcp', 'https://bridge.example.org/mcp'],
  ['a blank', 'Authorization: Bearer dbt_x', '"Authorization: Bearer dbt_x"'],
  ['an address of IPv6', 'http://[::1]:5820/mcp', '"http://[::1]:5820/mcp"'],
  ['nothing', '', '""'],
  ['a quote', `a'b`, `'a'\\''b'`],
  ['a dollar', '$HOME', `'$HOME'`],
  ['a line break', 'a\nb', `'a\nb'`],
])('%s', (_, text, word) => expect(shellWord(text)).toBe(word));

it('no text breaks out of its word', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(...`'"\`$\\;&|<>(){}[]*?!#~ \n\t=ab%^`),
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (words) => {
      expect(readBySh(...words)).toEqual(words);
    }),
    { numRuns: 100 },
  );
});
