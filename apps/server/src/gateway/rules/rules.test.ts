import type { RulesBody } from '@drawbridge/contracts/rule-list';
import { requestId } from '@drawbridge/contracts/ids';
import { describe, expect, it } from 'vitest';
import { connect, initBody, useGateway, type FakeStream, queryRules } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const withRules = initBody({ daemon: { version: '0.1.0', protocol: 1, features: ['rules'] } });
const list: RulesBody = { rules: [], total: 0, remoteRules: false };

const opened = async (body = withRules) => {
  await fixture.open();
  return { ...fixture, ...(await fixture.connect('ada', body)) };
};
const asked = (stream: FakeStream) =>
  stream.events.flatMap((event) => (event.type === 'rules-request' ? [event.payload] : []));

describe('the rules of a machine', () => {
  it('are queried from its daemon and returned as it answers', async () => {
    const { gateway, clock, key, stream } = await opened();
    const rules = queryRules(gateway, 'ada', { type: 'remove', ruleId: 'r' });
    await clock.settle();
    const [payload] = asked(stream);
    expect(payload).toEqual({ requestId: expect.any(String), query: { type: 'remove', ruleId: 'r' } });
    expect(requestId.safeParse(payload?.requestId).success).toBe(true);
    await gateway.daemon.rules(key, payload?.requestId ?? '', list);
    expect(await rules).toEqual(list);
  });

  it.each<[string, RulesBody, string]>([
    ['not permitted', { refused: 'not-permitted', message: 'no' }, 'RULES_NOT_PERMITTED'],
    ['unknown', { refused: 'unknown', message: 'no' }, 'NOT_FOUND'],
    ['no rule', { refused: 'not-a-rule', message: 'no' }, 'RULE_REFUSED'],
    ['failed', { refused: 'failed', message: 'no' }, 'RULE_REFUSED'],
  ])('%s is a coded error', async (_name, body, code) => {
    const { gateway, clock, key, stream } = await opened();
    const rules = expect(queryRules(gateway, 'ada', { type: 'list' })).rejects.toMatchObject({ code });
    await clock.settle();
    await gateway.daemon.rules(key, asked(stream)[0]?.requestId ?? '', body);
    await rules;
  });

  it('of another user are not answered, nor by another machine', async () => {
    const { gateway, clock, stream } = await opened();
    const other = await connect(gateway, 'ben', withRules);
    await expect(queryRules(gateway, 'eve', { type: 'list' })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
    const rules = expect(queryRules(gateway, 'ada', { type: 'list' })).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
    await clock.settle();
    expect([asked(stream).length, asked(other.stream).length]).toEqual([1, 0]);
    await gateway.daemon.rules(other.key, asked(stream)[0]?.requestId ?? '', list);
    await clock.settle(10_000);
    await rules;
  });

  it('an answer without a waiting query does nothing', async () => {
    const { gateway, key } = await opened();
    await gateway.daemon.rules(key, 'unknown', list);
    await gateway.daemon.leave(key);
    await expect(queryRules(gateway, 'ada', { type: 'list' })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
  });

  it('show the last report while the machine is offline, and cannot be changed then', async () => {
    const { gateway, clock, key, stream } = await opened();
    const rules = queryRules(gateway, 'ada', { type: 'list' });
    await clock.settle();
    await gateway.daemon.rules(key, asked(stream)[0]?.requestId ?? '', list);
    await rules;
    await gateway.daemon.leave(key);
    const asOf = new Date(clock.now()).toISOString();
    await clock.settle(60_000);
    expect(await queryRules(gateway, 'ada', { type: 'list' })).toEqual({ ...list, asOf });
    await expect(queryRules(gateway, 'ada', { type: 'remove', ruleId: 'r' })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
    await expect(queryRules(gateway, 'ben', { type: 'list' })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
  });

  it('a daemon without rules is refused at once', async () => {
    const { gateway, stream } = await opened(initBody());
    await expect(queryRules(gateway, 'ada', { type: 'list' })).rejects.toMatchObject({
      code: 'RULES_UNSUPPORTED',
    });
    expect(asked(stream)).toEqual([]);
  });

  it('an offline machine is refused at once', async () => {
    const { gateway, stream } = await opened();
    stream.drop();
    await expect(queryRules(gateway, 'ada', { type: 'list' })).rejects.toMatchObject({
      code: 'NOT_CONNECTED',
    });
  });

  it('a switched-off gateway asks nothing', async () => {
    const { gateway } = await opened();
    await gateway.settings.update('ada', { disabledByUser: true });
    await expect(queryRules(gateway, 'ada', { type: 'list' })).rejects.toMatchObject({
      code: 'GATEWAY_DISABLED',
    });
  });
});
