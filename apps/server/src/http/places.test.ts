import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('has as many places for each key as it was told, and gives one back once', () => {
  const places = createPlaces(2);
  const leave = places.take('a');
  places.take('a');
  expect(() => places.take('a')).toThrow('Too many requests');
  places.take('b');
  leave();
  leave();
  places.take('a');
  expect(() => places.take('a')).toThrow('Too many requests');
});
