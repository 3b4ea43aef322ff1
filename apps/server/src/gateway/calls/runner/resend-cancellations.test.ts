import { expect, it } from 'vitest';
import {
  ended,
  initBody,
  text,
  useGateway,
  type FakeStream,
  callerOf,
} from '../../../../test/gateway-fixture.ts';

const fixture = useGateway();

const write = { name: 'write_file', arguments: {} };
const cancelsOf = (stream: FakeStream) =>
  stream.events.flatMap((event) => (event.type === 'tool-call-cancel' ? [event.payload] : []));

/** A call that its machine works on while its stream is gone. */
const away = async (body = initBody()) => {
  await fixture.open();
  const { key, stream } = await fixture.connect('ada', body);
  void callerOf(fixture.gateway, 'ada')
    .run(write, ended)
    .catch(() => {});
  await fixture.clock.settle();
  stream.drop();
  return { key, requestId: stream.requests()[0]?.requestId ?? 'none' };
};

const back = async (key: string) => {
  const stream = await fixture.openStream(key);
  await fixture.clock.settle();
  return stream;
};

const report = text('stopped', {
  isError: true,
  _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
});

it.each([
  ['the same server', false],
  ['a server that was started again', true],
])(
  'a call that was cancelled while its machine was away is stopped by %s, until the machine reports',
  async (_name, crashes) => {
    const { key, requestId } = await away();
    await fixture.gateway.calls.cancel('ada', requestId);
    if (crashes) await fixture.crash();
    const stream = await back(key);
    expect([stream.requests(), cancelsOf(stream)]).toEqual([[], [{ requestId, reason: 'user' }]]);
    const again = await back(key);
    expect(cancelsOf(again)).toEqual([{ requestId, reason: 'user' }]);
    await fixture.gateway.daemon.respond(key, requestId, report);
    expect(await fixture.gateway.calls.get('ada', requestId)).toMatchObject({
      state: 'cancelled',
      started: true,
    });
    expect(cancelsOf(await back(key))).toEqual([]);
  },
);

it.each([
  ['a daemon that cannot stop', initBody({ daemon: undefined })],
  [
    'another daemon',
    initBody({ daemon: { version: '1', protocol: 1, features: ['cancel'], instance: 'a' } }),
  ],
])('%s gets no cancellation', async (name, body) => {
  const { key, requestId } = await away(body);
  await fixture.gateway.calls.cancel('ada', requestId);
  if (name === 'another daemon') await fixture.gateway.daemon.init(key, initBody());
  expect(cancelsOf(await back(key))).toEqual([]);
});

it('an undelivered call, or one cancelled long ago, is not resent', async () => {
  const { key, requestId } = await away();
  await fixture.clock.settle(1);
  const waiting = callerOf(fixture.gateway, 'ada').run(write, ended);
  await fixture.clock.settle();
  const open = (await fixture.gateway.calls.list('ada', { limit: 1 })).calls[0]?.requestId ?? '';
  await fixture.gateway.calls.cancel('ada', open);
  expect(await waiting).toMatchObject({ state: 'cancelled', started: false });
  await fixture.gateway.calls.cancel('ada', requestId);
  await fixture.clock.settle(20 * 60_000 + 1);
  expect(cancelsOf(await back(key))).toEqual([]);
});
