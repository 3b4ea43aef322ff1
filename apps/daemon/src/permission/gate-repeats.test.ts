import { describe, expect, it } from 'vitest';
import { misfit, noSignal, openGate } from '../../test/gate-world.ts';

describe('a repeat of the request without an answer', () => {
  it('gets the same question, and a new one where it is about something else', async () => {
    const world = await openGate();
    const first = await world.asked();
    expect(await world.asked()).toEqual(first);
    const other = await world.asked({ arguments: { filePath: 'a', content: 'y' } });
    expect(other.askId).not.toBe(first.askId);
    expect(await world.send('allowOnce')).toEqual(misfit);
  });
});

describe('an answer that names its question', () => {
  it.each(['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'])(
    'CF-07 of an earlier question is none to the one that stands now: %s',
    async (given) => {
      const world = await openGate();
      const standing = await world.asked();
      const context = { confirmation: given, signal: noSignal };
      expect(await world.gate.check(world.attempt(), { ...context, askId: 'an earlier one' })).toEqual({
        kind: 'ask',
        question: standing,
      });
      expect(world.rules()).toEqual({ allow: [], deny: [] });
      const own = { confirmation: 'allowOnce', askId: standing.askId, signal: noSignal };
      expect((await world.gate.check(world.attempt(), own)).kind).toBe('run');
    },
  );
});
