import type { LaneMode } from '@drawbridge/contracts/agent/lanes';
import { expect, it } from 'vitest';
import { nextCall } from '../../test/agent.ts';
import { laneOf } from '../../test/lane-world.ts';
import { openRuntimeWorld } from '../../test/runtimes.ts';

const said = (text: string) => [
  { type: 'session' as const, session: 's1' },
  { type: 'text' as const, text },
];

interface Case {
  mode: LaneMode;
  /** The turns after the first one, by what is new in their prompts. */
  turns: string[];
  runs: string[];
  isCut?: true;
}

const cases: Case[] = [
  { mode: 'followup', turns: ['two', 'three'], runs: ['one completed', 'two completed', 'three completed'] },
  { mode: 'collect', turns: ['two\n\nthree'], runs: ['one completed', 'two+three completed'] },
  { mode: 'steer', turns: ['two\n\nthree'], runs: ['one+two+three completed'] },
  { mode: 'steer_backlog', turns: ['three', 'two'], runs: ['one+three completed', 'two completed'] },
  { mode: 'interrupt', turns: ['three'], runs: ['one cancelled', 'three completed'], isCut: true },
];

it('messages during a turn of a coding agent wait for its end in each lane mode, and Stop removes them', async () => {
  const { agent, userId, daemon, post, end } = await openRuntimeWorld();
  /** The machine is told to end that turn. */
  const isCancelled = async (requestId: string) =>
    expect((await daemon.stream.next()).event).toMatchObject({
      ...{ type: 'tool-call-cancel', payload: { requestId } },
    });
  /** A chat in whose first turn two messages have come. */
  const begin = async (name: string, mode: LaneMode) => {
    const lane = laneOf(agent, userId, name);
    await lane.command('/runtime activate gemini');
    const requests = [await lane.send('one')];
    const { requestId } = await nextCall(daemon);
    await post(requestId, 0, said('half'));
    const first = mode === 'collect' ? mode : 'followup';
    requests.push(await lane.send('two', { mode: first }), await lane.send('three', { mode }));
    return { lane, requestId, ends: Promise.all(requests.map(({ done }) => done)) };
  };

  for (const { mode, turns, runs, isCut } of cases) {
    const { lane, requestId, ends } = await begin(mode, mode);
    await (isCut ? isCancelled(requestId) : end(requestId, said('half')));
    const prompts: string[] = [];
    while (prompts.length < turns.length) {
      const next = await nextCall(daemon);
      prompts.push(String(next.toolCall.arguments['prompt']));
      await end(next.requestId, said('done'));
    }
    await ends;
    expect([mode, ...prompts]).toEqual([mode, ...turns]);
    expect([mode, ...(await lane.runs())]).toEqual([mode, ...runs]);
  }

  const { lane, requestId, ends } = await begin('stopped', 'followup');
  await lane.cancel();
  await isCancelled(requestId);
  expect((await ends).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(await lane.runs()).toEqual(['one cancelled']);
});
