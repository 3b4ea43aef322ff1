import { expect, it } from 'vitest';
import { ask } from '../../../test/asked.ts';
import { text, useGateway } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const reason = 'Keep the licence';
const said = 'The person gave a reason: Keep the licence';

it('a reason for a denial reaches the caller with the machine’s answer, also after a restart', async () => {
  const { gateway, confirmationId, requestId, key, stream } = await ask(fixture);
  const answer = { approved: false, resourceDecision: 'denyOnce', reason } as const;
  await gateway.confirmations.decide('ada', { confirmationId }, answer);
  await fixture.clock.settle();
  expect(stream.requests().map((request) => 'denialReason' in request)).toEqual([false, false]);
  await fixture.crash();
  await fixture.gateway.daemon.respond(key, requestId, text('refused', { isError: true }));
  expect(await fixture.gateway.calls.get('ada', requestId)).toMatchObject({
    state: 'denied',
    denialReason: reason,
    result: {
      content: [
        { type: 'text', text: 'refused' },
        { type: 'text', text: said },
      ],
      isError: true,
    },
  });
});

it('a reason for a denial without a decision is in the error', async () => {
  const { gateway, confirmationId, running } = await ask(fixture);
  await gateway.confirmations.decide('ada', { confirmationId }, { approved: false, reason });
  expect(await running).toMatchObject({
    state: 'denied',
    denialReason: reason,
    error: { code: 'DENIED', message: `Access denied by the user. ${said}` },
  });
});

it('a reason does not go with an approval', async () => {
  const { gateway, confirmationId } = await ask(fixture);
  const answer = { approved: true, resourceDecision: 'allowOnce', reason } as const;
  await expect(gateway.confirmations.decide('ada', { confirmationId }, answer)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  });
  expect(await gateway.confirmations.get('ada', confirmationId)).toMatchObject({ state: 'open' });
});
