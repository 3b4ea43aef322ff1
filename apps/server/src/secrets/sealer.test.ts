import { describe, expect, it } from 'vitest';
import { createSealer } from './index.ts';

describe('a sealed secret', () => {
  const sealer = createSealer('one');
  const sealed = sealer.seal('key', 'ann');

  it.each([
    ['as it was', sealed, 'ann', 'key'],
    ['for another purpose', sealed, 'ben', null],
    ['altered', sealed.replace(/.{4}$/, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA')), 'ann', null],
    ['cut', sealed.slice(0, 30), 'ann', null],
    ['empty', '', 'ann', null],
  ])('%s', (_, text, purpose, expected) => {
    expect(sealer.unseal(text, purpose)).toBe(expected);
  });

  it('is not read by another server, and looks different each time', () => {
    expect(createSealer('two').unseal(sealed, 'ann')).toBeNull();
    expect(sealer.seal('key', 'ann')).not.toBe(sealed);
  });
});
