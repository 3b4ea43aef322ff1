import { afterAll, beforeAll, expect, it } from 'vitest';
import { byCase } from './crash-script.ts';
import { startWorld, type World } from './world.ts';

const { script, count } = byCase({
  silent: ({ count: number }) => (number === 1 ? { text: 'Half', end: 'silent' } : { text: 'Done.' }),
});
let world: World;
beforeAll(async () => {
  world = await startWorld(script);
});
afterAll(() => world?.stop());

it('18 a model that is silent for 60 s is asked again', async () => {
  const thread = world.thread('silent');
  await thread.say('case:silent');
  const { ts, payload } = await thread.until('run-finish');
  const [start] = await thread.of('run-start');
  expect([payload.status, count('silent')]).toEqual(['completed', 2]);
  expect(ts - (start?.ts ?? 0)).toBeGreaterThanOrEqual(60_000);
  expect((await thread.of('text-block')).map(({ payload: { text } }) => text)).toEqual(['Done.']);
});
