import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createSealedState } from './sealed-state.ts';

const ttlMs = 60_000;
const binding = ['token 1', 'write_file'];
const secret = 's'.repeat(43);

const sealed = () => {
  const clock = createFakeClock();
  const state = createSealedState({ secret, clock, ttlMs });
  return { clock, state, text: state.encrypt({ step: 2 }, binding) };
};

it('MC-09 decrypts what it encrypted, with the same binding, until it expires', async () => {
  const { clock, state, text } = sealed();
  expect(text).not.toContain('step');
  expect(state.decrypt(text, binding)).toEqual({ step: 2 });
  await clock.advance(ttlMs - 1);
  expect(state.decrypt(text, binding)).toEqual({ step: 2 });
  await clock.advance(1);
  expect(state.decrypt(text, binding)).toBeNull();
});

it.each([
  ['of another token', ['token 2', 'write_file']],
  ['of another tool', ['token 1', 'delete']],
  ['of fewer things', ['token 1']],
  ['of the same letters, cut elsewhere', ['token 1write', '_file']],
])('MC-09 does not decrypt what is %s', (_name, other) => {
  const { state, text } = sealed();
  expect(state.decrypt(text, other)).toBeNull();
});

it('MC-09 does not decrypt a state with any changed character', () => {
  const { state, text } = sealed();
  const changed = Array.from(
    text,
    (character, at) => text.slice(0, at) + (character === 'A' ? 'B' : 'A') + text.slice(at + 1),
  );
  expect(changed.filter((one) => state.decrypt(one, binding) !== null)).toEqual([]);
  for (const other of ['', 'x', `${text}A`, `${text}-TAMPERED`, text.slice(1), `${text}=`, ` ${text}`])
    expect(state.decrypt(other, binding)).toBeNull();
});

it('MC-09 does not decrypt the state of another secret', () => {
  const { text, clock } = sealed();
  expect(createSealedState({ secret: 'o'.repeat(43), clock, ttlMs }).decrypt(text, binding)).toBeNull();
});
