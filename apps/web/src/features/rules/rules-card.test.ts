import type { KnownRules, ShownRule } from '@drawbridge/contracts/rule-list';
import { flushPromises, mount } from '@vue/test-utils';
import { TRPCError } from '@trpc/server';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import type { World } from '../../../test/fixture-server.ts';
import RulesCard from './rules-card.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const rule = (change: Partial<ShownRule>): ShownRule => ({
  id: 'r1',
  effect: 'allow',
  toolGroup: 'filesystemWrite',
  label: 'change or delete files in ~/notes and below',
  lasts: 'always',
  endsAt: null,
  madeAt: '2026-01-01T00:00:00.000Z',
  usedAt: null,
  ...change,
});
const denial = rule({ id: 'r2', effect: 'deny', toolGroup: 'shell', label: 'run in ~: rm \u202ex' });
const listOf =
  (change: Partial<KnownRules> = {}) =>
  (): KnownRules => ({
    rules: [rule({ caller: '"Claude Code" (access token)' }), denial],
    total: 2,
    remoteRules: false,
    ...change,
  });

const open = async (world: Partial<World>, state: 'online' | 'offline' = 'online') => {
  bench = await setBench(world);
  const props = { machineId: 'm1', state };
  const card = mount(RulesCard, { props, global: bench.global, attachTo: document.body });
  close = () => card.unmount();
  return card;
};
type Card = Awaited<ReturnType<typeof open>>;
const until = async (there: () => boolean) => {
  while (!there()) await flushPromises();
};
const rules = (card: Card) => card.findAll('[data-test=rule]');
const revocable = (card: Card) =>
  rules(card).map((one) => one.findAll('button').map((button) => button.text()));

it('shows every rule in words, and revokes an allowance', async () => {
  const removed: string[] = [];
  const card = await open({ rules: listOf(), removed });
  await until(() => rules(card).length === 2);
  expect(rules(card).map((one) => one.find('p').text())).toEqual([
    'Allow: change or delete files in ~/notes and below',
    'Deny: run in ~: rm \\u{202e}x',
  ]);
  expect(rules(card).map((one) => one.text().includes('all agents'))).toEqual([false, true]);
  expect(revocable(card)).toEqual([['Revoke'], []]);
  expect(card.find('[data-test=add-rule]').exists()).toBe(false);
  await card.find('[data-test=rule] button').trigger('click');
  await until(() => removed.length > 0);
  expect(removed).toEqual(['r1']);
});

it('revokes a denial, and adds, where the machine permits it', async () => {
  const card = await open({ rules: listOf({ remoteRules: true, total: 9 }) });
  await until(() => rules(card).length === 2);
  expect(revocable(card)).toEqual([['Revoke'], ['Revoke']]);
  expect(card.text()).toContain('7 more');
  await card.find('[data-test=add-rule] input').setValue('/w/a');
  await card.find('[data-test=add-rule]').trigger('submit');
  await until(() => bench.fixture.world.added.length > 0);
  expect(bench.fixture.world.added).toEqual([
    { effect: 'deny', toolGroup: 'filesystemWrite', resource: '/w/a', reach: 'exact' },
  ]);
});

it('says in one sentence how the first one is made', async () => {
  const card = await open({ rules: listOf({ rules: [], total: 0 }) });
  await until(() => card.find('[data-test=no-rules]').exists());
  expect(card.get('[data-test=no-rules]').text().replaceAll(/\s+/g, ' ')).toBe(
    'No rules yet: an answer that lasts becomes one. To add one, run drawbridge permissions on the machine.',
  );
  expect(card.findAll('button').map((one) => one.text())).toEqual(['Reload']);
});

it('says why there are none to see', async () => {
  const refuse = () => {
    throw new TRPCError({
      code: 'NOT_IMPLEMENTED',
      message: 'This machine cannot show its rules',
    });
  };
  const card = await open({ rules: refuse });
  await until(() => card.text().includes('cannot show its rules'));
  expect(rules(card)).toEqual([]);
});

it('shows what an offline machine reported last, and changes nothing then', async () => {
  const card = await open({ rules: listOf({ asOf: '2026-01-01T00:00:00.000Z' }) }, 'offline');
  await until(() => rules(card).length === 2);
  expect(card.find('[data-test=as-of]').exists()).toBe(true);
  expect(card.find('[data-test=rule] button').attributes('disabled')).toBeDefined();
});

it('says so where an offline machine has reported none', async () => {
  const card = await open(
    {
      rules: () => {
        throw new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'Local gateway is not connected' });
      },
    },
    'offline',
  );
  expect(card.find('[data-test=away]').text()).toBe('Rules are shown when the machine is online.');
});
