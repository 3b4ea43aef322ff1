import type { SettledBody } from '@drawbridge/contracts/daemon-surface';
import { nextMacrotask } from '@drawbridge/kit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openGate, write } from '../../../test/support/gate-fixture.ts';
import type { TerminalAnswer } from './gate.ts';
import { createSettler } from './settler.ts';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 30_000, interval: 5 });

/** A gate whose settler tells `report`; questions are asked about `/w/<n>`, each of a request of its own. */
const start = async (
  options: Parameters<typeof openGate>[0] & { report?: (body: SettledBody) => number | null } = {},
) => {
  const world = await openGate(options);
  const reported: SettledBody[] = [];
  const counts: number[] = [];
  const stop = createSettler({
    clock: world.clock,
    gate: world.gate,
    report: async (body) => {
      reported.push(body);
      return options.report === undefined ? body.questions.length : options.report(body);
    },
    settled: (count) => void counts.push(count),
  });
  onTestFinished(stop);
  const over = (at: number) => ({
    requestId: `r${at}`,
    arguments: { filePath: `${at}` },
    inspect: () => Promise.resolve([{ ...write(`/w/${at}`), folder: '/w/' }]),
  });
  const ask = async (count: number) => {
    const questions = [];
    for (let at = 0; at < count; at += 1) questions.push(await world.asked(over(at)));
    return questions;
  };
  return { ...world, over, ask, reported, counts, stop };
};

it('CF-27 a lasting answer settles the questions that it covers, and no other', async () => {
  const { ask, asked, send, over, reported, counts } = await start();
  const questions = await ask(20);
  await asked({ requestId: 'elsewhere', inspect: () => Promise.resolve([write('/other/a')]) });
  expect((await send('alwaysAllow', over(0), 'exact')).kind).toBe('run');
  await nextMacrotask();
  expect(reported).toEqual([]);
  expect((await send('alwaysAllow', over(1), 'folder')).kind).toBe('run');
  await until(() => expect(counts).toEqual([18]));
  expect(reported).toEqual([
    {
      by: 'r1',
      questions: questions
        .map(({ askId }, at) => ({ requestId: `r${at}`, askId, outcome: 'allowed' }))
        .slice(2),
    },
  ]);
  // The server answers each with a decision, and the call runs.
  expect((await send('allowOnce', over(2))).kind).toBe('run');
});

it('CF-27 a lasting denial settles them as denied, and nothing the server says makes them run', async () => {
  const { ask, send, over, reported, counts } = await start();
  const [, second] = await ask(2);
  await send('alwaysDeny', over(0), 'folder');
  await until(() => expect(counts).toEqual([1]));
  expect(reported).toEqual([
    { by: 'r0', questions: [{ requestId: 'r1', askId: second?.askId, outcome: 'denied' }] },
  ]);
  expect((await send('alwaysAllow', over(1), 'folder')).kind).toBe('denied');
});

it('a question that the server did not settle is asked on, and told no more', async () => {
  const { ask, send, over, reported, counts, clock } = await start({ report: () => 0 });
  await ask(2);
  await send('allowForSession', over(0), 'folder');
  await until(() => expect(reported).toHaveLength(1));
  await clock.settle(10_000);
  expect([reported.length, counts]).toEqual([1, []]);
});

it('what could not be told is told later, with the answer that settled it', async () => {
  let isAway = true;
  const { ask, send, over, reported, clock } = await start({ report: () => (isAway ? null : 1) });
  await ask(2);
  await send('allowForSession', over(0), 'folder');
  await until(() => expect(reported).toHaveLength(1));
  isAway = false;
  await until(() => {
    clock.advance(1_000);
    expect(reported.map(({ by }) => by)).toEqual(['r0', 'r0']);
  });
});

it('a rule from the command line or the panel settles them too', async () => {
  const { ask, settings, reported, counts, clock } = await start();
  const [question] = await ask(1);
  await settings.addRules('allow', [{ toolGroup: 'filesystemWrite', resource: '/w/', reach: 'folder' }]);
  await until(() => {
    clock.advance(1_000);
    expect(counts).toEqual([1]);
  });
  const questions = [{ requestId: 'r0', askId: question?.askId, outcome: 'allowed' }];
  expect(reported).toEqual([{ questions }]);
});

it('NJ-05b: what nothing has changed for is not evaluated again', async () => {
  const { asked, settings, reported, clock } = await start();
  await settings.addRules('deny', [{ toolGroup: 'filesystemWrite', resource: '/w/other' }]);
  let reads = 0;
  const counted = Object.defineProperty(write('/w/a'), 'resource', {
    enumerable: true,
    get: () => {
      reads += 1;
      return '/w/a';
    },
  });
  await asked({ requestId: 'r1', inspect: () => Promise.resolve([counted]) });
  // The first look is under the policy of the question.
  await clock.settle(1_000);
  const before = reads;
  await clock.settle(60_000);
  expect(reads).toBe(before);
  await settings.addRules('allow', [{ toolGroup: 'filesystemWrite', resource: '/w/a' }]);
  await until(() => {
    clock.advance(1_000);
    expect(reported).toHaveLength(1);
  });
  expect(reads).toBeGreaterThan(before);
});

it('looks for rules only while a question is open', async () => {
  const { clock, ask, send, over } = await start();
  expect(clock.waiting()).toBe(0);
  await ask(1);
  expect(clock.waiting()).toBe(1);
  await send('denyOnce', over(0));
  await until(() => {
    clock.advance(1_000);
    expect(clock.waiting()).toBe(0);
  });
});

it('CF-27 in the terminal, the questions behind the one that was answered go with it', async () => {
  const answers: ((given: TerminalAnswer) => void)[] = [];
  const { send, over, counts, reported } = await start({
    ask: {
      kind: 'terminal',
      askInTerminal: (_question, { signal }) =>
        new Promise((resolve, reject) => {
          answers.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
  });
  const outcomes = Promise.all([0, 1, 2].map((at) => send(undefined, over(at))));
  await until(() => expect(answers).toHaveLength(3));
  answers[0]?.({ decision: 'alwaysAllow', reach: 'folder' });
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['run', 'run', 'run']);
  await until(() => expect(counts).toEqual([2]));
  expect(reported).toEqual([]);
});
