import { describe, expect, it } from 'vitest';
import { misfit, caller, openGate, write } from '../../../test/support/gate-fixture.ts';

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
    'CF-07 of an earlier question does not answer the present one: %s',
    async (given) => {
      const world = await openGate();
      const standing = await world.asked();
      const context = { confirmation: given, ...caller };
      expect(await world.gate.check(world.attempt(), { ...context, askId: 'an earlier one' })).toEqual({
        kind: 'ask',
        question: standing,
      });
      expect(world.rules()).toEqual({ allow: [], deny: [] });
      const own = { confirmation: 'allowOnce', askId: standing.askId, ...caller };
      expect((await world.gate.check(world.attempt(), own)).kind).toBe('run');
    },
  );
});

describe('a decision that comes as a call of its own', () => {
  const other = { requestId: 'r2' };

  it.each([
    ['allowOnce', 'run'],
    ['allowForSession', 'run'],
    ['alwaysAllow', 'run'],
    ['denyOnce', 'denied'],
    ['alwaysDeny', 'denied'],
  ])('is one about the only question that is the same: %s', async (given, kind) => {
    const world = await openGate();
    await world.asked();
    expect((await world.send(given, other)).kind).toBe(kind);
    // It was answered once: the decision itself counts for nothing more.
    if (given === 'allowOnce') expect((await world.send(given, { requestId: 'r3' })).kind).toBe('ask');
  });

  it('CF-01 counts for nothing where two questions are the same', async () => {
    const world = await openGate();
    await world.asked();
    await world.asked({ requestId: 'r1b' });
    expect((await world.send('allowOnce', other)).kind).toBe('ask');
  });

  it.each([
    ['other arguments', { arguments: { filePath: 'a', content: 'y' } }],
    ['another tool', { tool: 'delete' }],
  ])('CF-02 counts for nothing with %s', async (_what, over) => {
    const world = await openGate();
    await world.asked();
    expect((await world.send('allowOnce', { ...other, ...over })).kind).toBe('ask');
    expect((await world.send('allowOnce')).kind).toBe('run');
  });

  it('CF-03 is a denial where it was not offered', async () => {
    const world = await openGate();
    await world.asked();
    expect(await world.send('yes', other)).toEqual(misfit);
  });

  it('CF-07 counts for nothing where it names another question', async () => {
    const world = await openGate();
    await world.asked();
    const context = { confirmation: 'allowOnce', askId: 'an earlier one', ...caller };
    expect((await world.gate.check(world.attempt(other), context)).kind).toBe('ask');
  });

  it('runs what was kept, once what it would touch is looked at again', async () => {
    const world = await openGate();
    await world.asked();
    world.resources = [write('/w/swapped')];
    expect(await world.send('alwaysAllow', other)).toMatchObject({
      kind: 'ask',
      question: { resource: '/w/swapped' },
    });
    expect(world.rules()).toEqual({ allow: [], deny: [] });
  });
});
