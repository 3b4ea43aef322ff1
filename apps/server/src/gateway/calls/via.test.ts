import type { CallVia } from '@drawbridge/contracts/calls';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connect,
  openGateway,
  question,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(() => fixture.close());

const write = { name: 'write_file', arguments: { path: 'a.txt' } };
const desk: CallVia = { kind: 'token', id: 't1', name: 'Desk' };

/** What is told of one call, in each place where somebody looks. */
const told = async ({ gateway }: GatewayFixture, requestId: string) => {
  const { calls } = await gateway.calls.list('ada', { limit: 1 });
  const [asked] = await gateway.confirmations.list('ada');
  return [(await gateway.calls.get('ada', requestId)).via, calls[0]?.via, asked?.via];
};

it.each([
  ['the token that it came through', desk],
  ['nothing where the person made it', undefined],
])('a call and its question name %s, also after a crash', async (_, via) => {
  fixture = await openGateway();
  const { gateway, clock } = fixture;
  const heard: unknown[] = [];
  gateway.confirmations.onChanged('ada', ({ confirmation }) => heard.push(confirmation.via));
  const { key, stream } = await connect(gateway, 'ada');
  const running = callerOf(gateway, 'ada').run(write, { door: 'mcp', until: 'asked', ...(via && { via }) });
  await clock.settle();
  const requestId = stream.requests()[0]?.requestId ?? '';
  await gateway.daemon.respond(key, requestId, question());
  expect((await running).via).toEqual(via);
  expect([await told(fixture, requestId), heard]).toEqual([[via, via, via], [via]]);
  fixture = await fixture.crash();
  expect(await told(fixture, requestId)).toEqual([via, via, via]);
});

describe('the calls of one client', () => {
  const made = async (...vias: (CallVia | undefined)[]) => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const { stream } = await connect(gateway, 'ada');
    for (const via of vias) {
      callerOf(gateway, 'ada')
        .run(write, { door: 'mcp', until: 'ended', ...(via && { via }) })
        .catch(() => {});
      // Its time is that of the moment at which it begins.
      await clock.settle();
      clock.advance(1);
    }
    await expect.poll(() => stream.requests()).toHaveLength(vias.length);
    return gateway;
  };

  it('are found under its present name, without those of another', async () => {
    const others: CallVia[] = [
      { kind: 'token', id: 'c1', name: 'Editor' },
      { kind: 'client', id: 'c2', name: 'Editor' },
    ];
    const before: CallVia = { kind: 'client', id: 'c1', name: 'Editor' };
    const after = { ...before, name: 'Editor 2' };
    const gateway = await made(before, ...others, undefined, after);
    for (const via of [before, after]) {
      const { calls } = await gateway.calls.list('ada', { limit: 9 }, via);
      expect(calls.map((call) => call.via)).toEqual([after, before]);
    }
    expect((await gateway.calls.list('bob', { limit: 9 }, before)).calls).toEqual([]);
  });
});
