import type { RuntimeEvent } from '@drawbridge/contracts/machines/runtimes';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextCall } from '../../test/agent.ts';
import { openRuntimeWorld } from '../../test/runtimes.ts';

const kinds = ['text', 'thought', 'action', 'end', 'plan', 'notice'] as const;

/** Events of one turn as a coding agent could report them: an end belongs to an action that is open. */
const toEvents = (drawn: readonly (typeof kinds)[number][]): RuntimeEvent[] => {
  const open: number[] = [];
  let n = 0;
  const events = drawn.flatMap((kind, at): RuntimeEvent[] => {
    const text = `${kind} ${at}`;
    switch (kind) {
      case 'action':
        open.push((n += 1));
        return [{ type: 'action', n, kind: 'execute', title: text }];
      case 'end': {
        const ended = open.shift();
        const status = at % 3 === 0 ? 'denied' : at % 3 === 1 ? 'failed' : 'completed';
        return ended === undefined ? [] : [{ type: 'action-end', n: ended, status, text }];
      }
      case 'plan':
        return [{ type: 'plan', items: [{ text, status: 'pending' }] }];
      default:
        return [{ type: kind, text }];
    }
  });
  return [{ type: 'session', session: 's1' }, ...events];
};

/** How far each post begins before or behind what the server has, and its length. */
const posts = fc.array(fc.tuple(fc.integer({ min: -3, max: 1 }), fc.nat(5)), { maxLength: 8 });
const turns = fc.tuple(fc.array(fc.constantFrom(...kinds), { maxLength: 12 }), posts);

it('RT-13 random events, posted again and with gaps: the rows of the chat and its events give the same view', async () => {
  const { say, choose, daemon, post, end, views, stored } = await openRuntimeWorld();
  await choose();
  const texts: string[] = [];
  for (const [at, [drawn, windows]] of fc.sample(turns, { numRuns: 12, seed: 31 }).entries()) {
    const events = toEvents(drawn);
    await say(`Message ${at}`);
    const { requestId } = await nextCall(daemon);
    let known = 0;
    for (const [behind, length] of windows) {
      const from = Math.max(0, known + behind);
      const reply = await post(requestId, from, events.slice(from, from + length));
      known = Number((reply as { turnEvents?: number }).turnEvents ?? known);
    }
    await end(requestId, events);
    const ended = async () => (await stored()).filter((one) => one.startsWith('run-finish')).length;
    await expect.poll(ended).toBe(at + 1);
    const { view, folded } = await views();
    expect(view).toEqual(folded);
    texts.push(...events.flatMap((event) => (event.type === 'text' ? [`text-block ${event.text}`] : [])));
    expect((await stored()).filter((one) => one.startsWith('text-block'))).toEqual(texts);
  }
});
