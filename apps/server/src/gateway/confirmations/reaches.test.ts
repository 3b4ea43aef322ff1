import type { ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import type { Reach } from '@drawbridge/contracts/confirmation-payload';
import { expect, it } from 'vitest';
import { ask } from '../../../test/asked.ts';
import { question, text, useGateway } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const folder: Reach = {
  id: 'folder',
  scope: 'folder',
  label: 'change or delete files in ~/notes and below',
  decisions: ['allowForSession', 'alwaysAllow', 'some-day'],
};
const short: Reach = {
  id: 'folder-15-minutes',
  scope: 'folder',
  label: 'change or delete files in ~/notes and below',
  decisions: ['allowForSession'],
  durationMs: 900_000,
};
const useless: Reach = { ...folder, id: 'useless', decisions: ['some-day', 'denyOnce'] };

/** A call about which the daemon has asked with reaches. */
const asked = (more: object = { reaches: [folder, short, useless] }) => {
  const options = ['allowOnce', 'allowForSession', 'alwaysAllow', 'alwaysDeny'];
  return ask(fixture, { body: question({ options, ...more }) });
};

it('are shown as far as they go with a decision that was offered', async () => {
  const { gateway } = await asked();
  expect(await gateway.confirmations.list('ada')).toMatchObject([
    { reaches: [{ ...folder, decisions: ['allowForSession', 'alwaysAllow'] }, short], reach: null },
  ]);
});

it.each<[string, ConfirmationAnswer, object]>([
  ['without one', { approved: true, resourceDecision: 'alwaysAllow' }, {}],
  ['with one', { approved: true, resourceDecision: 'alwaysAllow', reach: 'folder' }, { reach: 'folder' }],
  [
    'with one that expires',
    { approved: true, resourceDecision: 'allowForSession', reach: 'folder-15-minutes' },
    { reach: 'folder-15-minutes' },
  ],
])(
  'an answer %s goes to the machine beside the arguments, also after a restart',
  async (_name, answer, sent) => {
    const { gateway, key, requestId, stream } = await asked();
    await gateway.confirmations.decide('ada', { requestId }, answer);
    const last = {
      requestId,
      toolCall: { name: 'write_file', arguments: { path: 'a.txt', _confirmation: answer.resourceDecision } },
      timeoutMs: 30_000,
      askId: 'ask-1',
      ...sent,
    };
    expect(stream.requests().at(-1)).toEqual(last);
    await fixture.crash();
    const next = await fixture.openStream(key);
    await fixture.clock.settle();
    expect(next.requests()).toEqual([{ ...last, again: true }]);
    await fixture.gateway.daemon.respond(key, requestId, text('done'));
  },
);

it.each<[string, ConfirmationAnswer]>([
  ['that was not offered', { approved: true, resourceDecision: 'alwaysAllow', reach: 'everything' }],
  [
    'that does not go with the decision',
    { approved: true, resourceDecision: 'alwaysAllow', reach: short.id },
  ],
  [
    'that goes with no offered decision',
    { approved: true, resourceDecision: 'alwaysAllow', reach: 'useless' },
  ],
  ['beside once', { approved: true, resourceDecision: 'allowOnce', reach: 'folder' }],
  ['beside a denial without a decision', { approved: false, reach: 'folder' }],
])('CF-03 a reach %s is refused and leaves the question open', async (_name, answer) => {
  const { gateway, requestId, stream } = await asked();
  await expect(gateway.confirmations.decide('ada', { requestId }, answer)).rejects.toMatchObject({
    code: 'REACH_NOT_OFFERED',
  });
  expect(await gateway.confirmations.list('ada')).toMatchObject([{ state: 'open' }]);
  expect(stream.requests()).toHaveLength(1);
});

it('a daemon that offers none is answered as before', async () => {
  const { gateway, requestId, stream } = await asked({});
  expect(await gateway.confirmations.list('ada')).toMatchObject([{ reaches: [], reach: null }]);
  const any = { approved: true, resourceDecision: 'alwaysAllow', reach: 'exact' } as const;
  await expect(gateway.confirmations.decide('ada', { requestId }, any)).rejects.toMatchObject({
    code: 'REACH_NOT_OFFERED',
  });
  await gateway.confirmations.decide(
    'ada',
    { requestId },
    { approved: true, resourceDecision: 'alwaysAllow' },
  );
  expect(stream.requests().at(-1)).not.toHaveProperty('reach');
});
