import type { CallVia } from '@drawbridge/contracts';
import { afterEach, expect, it } from 'vitest';
import { connect, openGateway, question, type GatewayFixture } from '../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(() => fixture.close());

const write = { name: 'write_file', arguments: { path: 'a.txt' } };
const desk: CallVia = { kind: 'token', id: 't1', name: 'Desk' };

/** What is told of one call, in each place where somebody looks. */
const told = async ({ gateway }: GatewayFixture, requestId: string) => {
  const { calls } = await gateway.listCalls('ada', { limit: 1 });
  const [asked] = await gateway.listConfirmations('ada');
  return [(await gateway.getCall('ada', requestId)).via, calls[0]?.via, asked?.via];
};

it.each([
  ['the token that it came through', desk],
  ['nothing where the person made it', undefined],
])('a call and its question name %s, also after a crash', async (_, via) => {
  fixture = await openGateway();
  const { gateway, clock } = fixture;
  const heard: unknown[] = [];
  gateway.onConfirmationChanged('ada', ({ confirmation }) => heard.push(confirmation.via));
  const { key, stream } = await connect(gateway, 'ada');
  const running = gateway.call('ada', write, { door: 'mcp', until: 'asked', ...(via && { via }) });
  await clock.settle();
  const requestId = stream.requests()[0]?.requestId ?? '';
  await gateway.daemon.respond(key, requestId, question());
  expect((await running).via).toEqual(via);
  expect([await told(fixture, requestId), heard]).toEqual([[via, via, via], [via]]);
  fixture = await fixture.crash();
  expect(await told(fixture, requestId)).toEqual([via, via, via]);
});
