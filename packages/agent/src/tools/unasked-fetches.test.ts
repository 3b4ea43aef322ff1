import { expect, it } from 'vitest';
import { engineFixture, rowsWithCall } from '../../test/engine-fixture.ts';
import { confirmAsk } from '../../test/performed.ts';
import { agentRow, grantRow, messageRow, toolCallRow } from '../../test/rows.ts';
import { agentLimits } from '../rows/limits.ts';
import { allHostsGrant, hostGrant } from './core/domain-access.ts';

const page = (url: string) => ({ kind: 'page' as const, page: { url, title: '', markdown: 'text' } });
/** Fetches of one run, of its main agent or of a sub-agent: how many of them ask. */
const askedOf = async (
  addresses: readonly string[],
  { key = hostGrant('one.example'), agents = ['ag_1'] } = {},
) => {
  const calls = addresses.map((url, n) =>
    toolCallRow('ann', `tc_${n}`, {
      n,
      agentId: agents[n % agents.length] ?? '',
      tool: 'fetch-url',
      effect: 'read',
      arguments: JSON.stringify({ url, offset: n }),
    }),
  );
  const acting = { state: 'acting', steps: 1 } as const;
  const rows = {
    ...rowsWithCall({}),
    agentAgents: agents.map((id, at) =>
      agentRow('ann', id, at === 0 ? acting : { ...acting, kind: 'background', tools: ['fetch-url'] }),
    ),
    agentToolCalls: calls,
    agentMessages: [messageRow('ann', 1, { parts: [{ type: 'text', text: 'one.example and two.example' }] })],
    agentGrants: [grantRow('ann', key)],
  };
  const { ctx, log } = engineFixture(rows, {
    web: { refusal: () => null, fetch: (url) => Promise.resolve(page(url)) },
  });
  for (const id of agents) ctx.wake('ann', id);
  const count = (name: string) => log.filter((one) => one === name).length;
  await expect.poll(() => count('tool-result ok') + count('confirmation-request')).toBe(addresses.length);
  return count('confirmation-request');
};

const many = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n));
const { unaskedAddresses: most, unaskedCharacters } = agentLimits;
const word = 'abcd/efgh/'.repeat(20);

it.each<[string, string[], Parameters<typeof askedOf>[1], number]>([
  ['30 addresses', many(most, (n) => `https://one.example/${n}`), {}, 0],
  ['300 addresses with a word each', many(300, (n) => `https://one.example/word${n}`), {}, 300 - most],
  ['the same in queries', many(40, (n) => `https://one.example/?q=word${n}`), {}, 40 - most],
  [
    'the same in the case of letters',
    many(40, (n) => `https://one.example/${n.toString(2).replaceAll('1', 'A')}`),
    {},
    40 - most,
  ],
  ['the same in fragments, which are not sent', many(40, (n) => `https://one.example/a#${n}`), {}, 40 - most],
  ['one address 40 times', many(40, () => 'https://one.example/a'), {}, 0],
  [
    'of two hosts that are named',
    many(40, (n) => `https://${n % 2 ? 'one' : 'two'}.example/${n}`),
    { key: allHostsGrant },
    40 - most,
  ],
  [
    'of several agents of the run',
    many(40, (n) => `https://one.example/${n}`),
    { agents: ['ag_1', 'ag_2', 'ag_3'] },
    40 - most,
  ],
  [
    'long addresses',
    many(20, (n) => `https://one.example/${n}/${word}`),
    {},
    20 - Math.floor(unaskedCharacters / 204),
  ],
])('NA-26b: %s', async (_what, addresses, more, asked) => {
  expect(await askedOf(addresses, more)).toBe(asked);
});

it('NA-26b: a lasting answer lets the run fetch as much again', async () => {
  const calls = many(most + 1, (n) => `/${n}`).map((path, n) =>
    toolCallRow('ann', `tc_${n}`, {
      n,
      tool: 'fetch-url',
      effect: 'read',
      arguments: JSON.stringify({ url: `https://one.example${path}` }),
    }),
  );
  const { ctx, log, store } = engineFixture(
    { ...rowsWithCall({}), agentToolCalls: calls, agentGrants: [grantRow('ann', hostGrant('one.example'))] },
    { web: { refusal: () => null, fetch: (url) => Promise.resolve(page(url)) } },
  );
  const count = (name: string) => log.filter((one) => one === name).length;
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => count('confirmation-request')).toBe(1);
  expect(ctx.unasked.get('run_1')?.addresses.size).toBe(most);
  const [ask] = await store.find('agentAsks', { userId: 'ann', state: 'open' });
  const lasting = { kind: 'domainAccessApprove', domainAccessAction: 'allow_domain' } as const;
  await confirmAsk(ctx, { userId: 'ann', askId: ask?.id ?? '' }, lasting);
  await expect.poll(() => count('tool-result ok')).toBe(most + 1);
  expect(ctx.unasked.get('run_1')).toBeUndefined();
});
