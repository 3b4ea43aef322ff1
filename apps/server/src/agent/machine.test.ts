import { expect, it } from 'vitest';
import { idOf, useGateway } from '../../test/gateway-fixture.ts';
import type { Gateway } from '../gateway/index.ts';
import { createMachinePort } from './machine.ts';

const fixture = useGateway();

const call = {
  requestId: 'request',
  threadId: 'thread',
  name: 'Chat',
  machineId: null,
  groups: null,
  tool: 'write_file',
  arguments: {},
};

/** A machine, and a port to it whose calls pass `open` on their way into the gateway. */
const connected = async (
  open: (real: Gateway['calls']['open']) => Gateway['calls']['open'] = (real) => real,
) => {
  const { gateway, clock, stream } = await fixture.connected();
  const through = { ...gateway, calls: { ...gateway.calls, open: open(gateway.calls.open) } };
  const port = createMachinePort({
    gateway: through,
    clock,
    onError: (error) => {
      throw error;
    },
  });
  const stop = new AbortController();
  return {
    clock,
    stream,
    call: () => port.call('ada', call, stop.signal).catch((error: unknown) => error),
    /** As the engine stops an agent. */
    stop: () => {
      stop.abort(new Error('stopped'));
      return port.cancel('ada', call.requestId);
    },
    stateOf: () => port.stateOf('ada', call.requestId),
    cancelled: () =>
      stream.events.flatMap((event) => (event.type === 'tool-call-cancel' ? [event.payload.requestId] : [])),
  };
};

it('AG-10 a stop before a call is made prevents it', async () => {
  const { call, stop, stateOf, stream, clock } = await connected();
  expect(await stop()).toBe(true);
  expect(await call()).toEqual(new Error('stopped'));
  await clock.settle();
  expect([await stateOf(), stream.requests()]).toEqual(['unknown', []]);
});

it('AG-10 a stop after a call has begun, before it is stored, prevents it', async () => {
  const [isBegun, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { call, stop, stateOf, stream, clock } = await connected((real) => async (...given) => {
    isBegun.resolve();
    await mayGoOn.promise;
    return real(...given);
  });
  const made = call();
  await isBegun.promise;
  expect(await stop()).toBe(true);
  expect(await made).toEqual(new Error('stopped'));
  mayGoOn.resolve();
  await clock.settle();
  expect([await stateOf(), stream.requests()]).toEqual(['unknown', []]);
});

it('AG-10 a stop while a call is being stored reaches the machine after it', async () => {
  const isOpened = Promise.withResolvers<void>();
  const { call, stop, stateOf, stream, cancelled, clock } = await connected(
    (real) => (machine, toolCall, options) =>
      real(machine, toolCall, {
        ...options,
        onOpened: (requestId) => {
          options.onOpened?.(requestId);
          isOpened.resolve();
        },
      }),
  );
  const made = call();
  await isOpened.promise;
  expect(stream.requests()).toEqual([]);
  expect(await stop()).toBe(false);
  expect(await made).toEqual(new Error('stopped'));
  await clock.settle();
  expect([await stateOf(), idOf(stream), cancelled()]).toEqual(['ended', 'request', ['request']]);
});

it('AG-10 a stop while a call runs reaches the machine', async () => {
  const { call, stop, stateOf, stream, cancelled, clock } = await connected();
  const made = call();
  await clock.settle();
  expect(idOf(stream)).toBe('request');
  expect(await stop()).toBe(false);
  expect(await made).toEqual(new Error('stopped'));
  expect([await stateOf(), cancelled()]).toEqual(['ended', ['request']]);
});

it('leaves a call that is stored to its machine where the wait alone ends', async () => {
  const { gateway, clock, stream } = await fixture.connected();
  const port = createMachinePort({ gateway, clock, onError: () => {} });
  const stop = new AbortController();
  const made = port.call('ada', call, stop.signal).catch((error: unknown) => error);
  await clock.settle();
  stop.abort(new Error('the server stops'));
  expect(await made).toEqual(new Error('the server stops'));
  await clock.settle();
  expect([await port.stateOf('ada', call.requestId), idOf(stream)]).toEqual(['open', 'request']);
});
