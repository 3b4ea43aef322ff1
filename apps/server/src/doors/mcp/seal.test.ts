import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createSeal } from './seal.ts';

const ttlMs = 60_000;
const binding = ['token 1', 'write_file'];
const secret = 's'.repeat(43);

const sealed = () => {
  const clock = createFakeClock();
  const seal = createSeal({ secret, clock, ttlMs });
  return { clock, seal, text: seal.seal({ step: 2 }, binding) };
};

it('MC-09 opens what it sealed, for what it was sealed for, as long as it holds', async () => {
  const { clock, seal, text } = sealed();
  expect(text).not.toContain('step');
  expect(seal.open(text, binding)).toEqual({ step: 2 });
  await clock.advance(ttlMs - 1);
  expect(seal.open(text, binding)).toEqual({ step: 2 });
  await clock.advance(1);
  expect(seal.open(text, binding)).toBeNull();
});

it.each([
  ['of another token', ['token 2', 'write_file']],
  ['of another tool', ['token 1', 'delete']],
  ['of fewer things', ['token 1']],
  ['of the same letters, cut elsewhere', ['token 1write', '_file']],
])('MC-09 does not open what is %s', (_name, other) => {
  const { seal, text } = sealed();
  expect(seal.open(text, other)).toBeNull();
});

it('MC-09 does not open what was changed, at any of its characters', () => {
  const { seal, text } = sealed();
  const changed = Array.from(
    text,
    (letter, at) => text.slice(0, at) + (letter === 'A' ? 'B' : 'A') + text.slice(at + 1),
  );
  expect(changed.filter((one) => seal.open(one, binding) !== null)).toEqual([]);
  for (const other of ['', 'x', `${text}A`, `${text}-TAMPERED`, text.slice(1), `${text}=`, ` ${text}`])
    expect(seal.open(other, binding)).toBeNull();
});

it('MC-09 does not open what another secret sealed', () => {
  const { text, clock } = sealed();
  expect(createSeal({ secret: 'o'.repeat(43), clock, ttlMs }).open(text, binding)).toBeNull();
});
