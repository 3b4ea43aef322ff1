import type { ProgressBody } from '@drawbridge/contracts';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createProgressReporter } from './progress.ts';
import type { Reply } from './server-api.ts';

const taken: Reply<null> = { ok: true, value: null };
const refused = (status: number | null): Reply<null> => ({
  ok: false,
  failure: { kind: 'network', sentence: 'no' },
  status,
});

/** A reporter whose posts are answered in turn, and by `taken` after that. */
const start = (...replies: Reply<null>[]) => {
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
    { output: 'one\n', message: 'first' },
    { output: 'one\ntwo\n', message: 'second' },
    { output: 'one\ntwo\nthree\n', message: 'second' },
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
  expect(posted).toEqual([{ output: 'one\n' }, { output: 'two\n' }]);
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
  ]).toEqual([262_144, true, true]);
});

it('stops with its call', async () => {
  const { clock, posted, reporter, after } = start(refused(null));
  reporter.report({ output: 'one\n' });
  await after(0);
  reporter.end();
  await after(10_000);
  expect([posted.length, clock.waiting()]).toEqual([1, 0]);
});
