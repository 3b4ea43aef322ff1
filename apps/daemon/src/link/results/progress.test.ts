import type { ProgressReply } from '@drawbridge/contracts/daemon-reply';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createProgressReporter } from './progress.ts';
import type { Reply } from '../reply.ts';

type Answer = Reply<ProgressReply>;
const taken: Answer = { ok: true, value: { ok: true } };
const takenTo = (outputEnd: number): Answer => ({ ok: true, value: { ok: true, outputEnd } });
const refused = (status: number | null): Answer => ({
  ok: false,
  failure: { kind: 'network', sentence: 'no' },
  status,
});

/** A reporter whose posts are answered in turn, and by `taken` after that. */
const start = (...replies: Answer[]) => {
  const clock = createFakeClock();
  const posted: ProgressBody[] = [];
  const reporter = createProgressReporter(clock, async (body) => {
    posted.push(body);
    return replies.shift() ?? taken;
  });
  const after = async (ms: number) => {
    clock.advance(ms);
    await clock.settle();
  };
  return { clock, posted, reporter, after };
};

it.each([
  ['no answer', null],
  ['502 of a proxy', 502],
  ['503', 503],
  ['429', 429],
])('%s: posts it again after a second, with what came since', async (_name, status) => {
  const { posted, reporter, after } = start(refused(status), refused(status));
  reporter.report({ output: 'one\n', message: 'first' });
  await after(0);
  reporter.report({ output: 'two\n', message: 'second' });
  await after(999);
  expect(posted).toHaveLength(1);
  await after(1);
  reporter.report({ output: 'three\n' });
  await after(1_000);
  expect(posted).toEqual([
    { message: 'first', output: 'one\n', outputOffset: 0, outputKeptFrom: 0 },
    { message: 'second', output: 'one\ntwo\n', outputOffset: 0, outputKeptFrom: 0 },
    { message: 'second', output: 'one\ntwo\nthree\n', outputOffset: 0, outputKeptFrom: 0 },
  ]);
  await after(10_000);
  expect(posted).toHaveLength(3);
});

it.each([403, 404])('%d: gives it up', async (status) => {
  const { posted, reporter, after } = start(refused(status));
  reporter.report({ output: 'one\n' });
  await after(10_000);
  reporter.report({ output: 'two\n' });
  await after(10_000);
  expect(posted).toEqual([
    { output: 'one\n', outputOffset: 0, outputKeptFrom: 0 },
    { output: 'two\n', outputOffset: 4, outputKeptFrom: 0 },
  ]);
});

it('says how far the output is when there is no more of it', async () => {
  const { posted, reporter, after } = start(takenTo(4));
  reporter.report({ output: 'one\n' });
  await after(250);
  reporter.report({});
  await after(250);
  expect(posted).toEqual([
    { output: 'one\n', outputOffset: 0, outputKeptFrom: 0 },
    { outputOffset: 4, outputKeptFrom: 0 },
  ]);
});

it.each([
  ['all of it', 0, 'one\ntwo\nthree\n', 0],
  ['from where it has it', 4, 'two\nthree\n', 4],
])('a server that was started again gets what it asks for: %s', async (_name, has, output, outputOffset) => {
  const { posted, reporter, after } = start(takenTo(4), takenTo(8), takenTo(has));
  for (const line of ['one\n', 'two\n', 'three\n']) {
    reporter.report({ output: line });
    await after(250);
  }
  expect(posted.slice(2)).toEqual([
    { output: 'three\n', outputOffset: 8, outputKeptFrom: 0 },
    { output, outputOffset, outputKeptFrom: 0 },
  ]);
  await after(10_000);
  expect(posted).toHaveLength(4);
});

it('a server that asks for what never was gets no more than there is', async () => {
  const { posted, reporter, after } = start(takenTo(1_000));
  reporter.report({ output: 'one\n' });
  await after(250);
  reporter.report({ output: 'two\n' });
  await after(250);
  expect(posted[1]).toEqual({ output: 'two\n', outputOffset: 4, outputKeptFrom: 0 });
});

it('keeps the last 256 KiB while the server is away', async () => {
  const { posted, reporter, after } = start(refused(null));
  for (let at = 0; at < 100; at += 1) {
    reporter.report({ output: String(at).padStart(10_000, '.') });
    if (at === 0) await after(0);
  }
  for (let at = 0; at < 20; at += 1) await after(1_000);
  const output = posted
    .slice(1)
    .map((body) => body.output)
    .join('');
  expect([
    output.length,
    output.endsWith('99'),
    posted.every((body) => (body.output ?? '').length <= 65_536),
    posted[1]?.outputOffset,
    posted.at(-1)?.outputKeptFrom,
  ]).toEqual([262_144, true, true, 737_856, 737_856]);
});

it('stops with its call', async () => {
  const { clock, posted, reporter, after } = start(refused(null));
  reporter.report({ output: 'one\n' });
  await after(0);
  reporter.end();
  await after(10_000);
  expect([posted.length, clock.waiting()]).toEqual([1, 0]);
});

it('posts what a coding agent did until the server has it, and the newest piece of its text', async () => {
  const events = ['one', 'two', 'three'].map((text) => ({ type: 'notice' as const, text }));
  const [one, two, three] = events as [(typeof events)[0], (typeof events)[0], (typeof events)[0]];
  const { posted, reporter, after } = start(refused(503), { ok: true, value: { ok: true, turnEvents: 1 } });
  const text = (piece: string, offset: number) => ({ type: 'text' as const, text: piece, offset });
  reporter.report({ turn: { from: 0, events: [one], text: text('a', 0) } });
  await after(0);
  reporter.report({ turn: { from: 1, events: [two] } });
  reporter.report({ turn: { from: 2, events: [], text: text('b', 0) } });
  reporter.report({ turn: { from: 2, events: [], text: text('c', 1) } });
  await after(1_000);
  reporter.report({ turn: { from: 2, events: [three] } });
  await after(250);
  await after(250);
  expect(posted.map(({ turn }) => turn)).toEqual([
    { from: 0, events: [one], text: text('a', 0) },
    { from: 0, events: [one, two], text: text('bc', 0) },
    { from: 1, events: [two, three] },
  ]);
});
