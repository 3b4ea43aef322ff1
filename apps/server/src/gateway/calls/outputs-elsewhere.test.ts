import type { CallEvent } from '@drawbridge/contracts/calls';
import { expect, it, onTestFinished } from 'vitest';
import { text } from '../../../test/gateway-fixture.ts';
import { openStream } from '../../../test/gateway-fixture.ts';
import { useTwo } from '../../../test/two-servers.ts';
import { subscribe } from '../../readers/index.ts';
import type { Gateway } from '../index.ts';

const onError = (error: unknown) => {
  throw error;
};

/** What a new reader of Ada's calls at that server is shown of their output, by its place. */
const readAt = (gateway: Gateway) => {
  const outputs: string[] = [];
  const leaving = new AbortController();
  const read = async () => {
    const user = { userId: 'ada' };
    for await (const { topic, event } of subscribe(
      { gateway, onError },
      { user, topics: ['calls'], signal: leaving.signal },
    )) {
      if (topic !== 'calls' || event.type !== 'progress') continue;
      const { output, outputOffset } = event as Extract<CallEvent, { type: 'progress' }>;
      if (output !== undefined) outputs.push(`${outputOffset} ${output}`);
    }
  };
  const ended = read();
  onTestFinished(() => {
    leaving.abort();
    return ended;
  });
  return outputs;
};

const post = (output: string, outputOffset: number) => ({ output, outputOffset, outputKeptFrom: 0 });

it('a reader at another server is shown what was printed, then what is printed', async () => {
  const { one, two, key, start, clock } = await useTwo();
  const { requestId } = await start(two.gateway);
  expect(await one.gateway.daemon.progress(key, requestId, post('one ', 0))).toMatchObject({ outputEnd: 4 });
  const seen = [readAt(one.gateway), readAt(two.gateway)];
  await clock.settle();
  await one.gateway.daemon.progress(key, requestId, post('two', 4));
  await clock.settle();
  for (const outputs of seen) expect(outputs).toEqual(['0 one ', '4 two']);
});

it('posts that reach another server continue the output, also where one of them is lost', async () => {
  const lost = { next: false };
  const { one, two, key, start, clock } = await useTwo({ fate: () => (lost.next ? 'is lost' : 'arrives') });
  const { requestId } = await start(one.gateway);
  const seen = readAt(one.gateway);
  await one.gateway.daemon.progress(key, requestId, post('one ', 0));
  expect(await two.gateway.daemon.progress(key, requestId, post('two ', 4))).toEqual({ ok: true });
  lost.next = true;
  await two.gateway.daemon.progress(key, requestId, post('three ', 8));
  lost.next = false;
  await two.gateway.daemon.progress(key, requestId, post('four', 14));
  await clock.settle();
  expect(seen).toEqual(['0 one ', '4 two ', '14 four']);
  expect(two.gateway.calls.liveOutputs('ada')).toEqual([]);
  // What is lost is in the result.
  await two.gateway.daemon.respond(key, requestId, text('one two three four'));
  await two.gateway.daemon.progress(key, requestId, post('late', 18)).catch(() => {});
  await clock.settle(2_000);
  expect(one.gateway.calls.liveOutputs('ada')).toEqual([]);
});

it('output is dropped where its call ended at another server, within 2 s', async () => {
  const { one, two, key, start, clock } = await useTwo({ fate: () => 'is lost' });
  const made = start(two.gateway);
  await clock.settle(2_000);
  const { requestId } = await made;
  await one.gateway.daemon.progress(key, requestId, post('one', 0));
  expect(one.gateway.calls.liveOutputs('ada')).toHaveLength(1);
  await two.gateway.daemon.respond(key, requestId, text('one'));
  await clock.settle(2_000);
  expect(one.gateway.calls.liveOutputs('ada')).toEqual([]);
});

it('the output goes with the stream of its machine', async () => {
  const { one, two, key, start, clock } = await useTwo();
  const { requestId } = await start(one.gateway);
  await one.gateway.daemon.progress(key, requestId, post('one ', 0));
  await openStream(two.gateway, key);
  await clock.settle();
  // The server that has the stream now asks for all of it.
  expect(await two.gateway.daemon.progress(key, requestId, post('two', 4))).toMatchObject({ outputEnd: 0 });
});
