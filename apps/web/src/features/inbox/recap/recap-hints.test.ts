import type { Repeated } from '@drawbridge/contracts/machines/repeated';
import type { ShownRule } from '@drawbridge/contracts/rule-list';
import { TRPCError } from '@trpc/server';
import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import type { World } from '../../../../test/fixture-server.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import RecapHints from './recap-hints.vue';
import { useHints } from './use-hints.ts';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const dayMs = 86_400_000;
const command = `drawbridge permissions allow shell '"/home/ada/site" $ npm test'`;
const repeated: Repeated = {
  machineId: 'm1',
  toolGroup: 'shell',
  host: null,
  text: 'npm test',
  folder: '/home/ada/site',
  command,
  covers: 'c1',
  allowed: 3,
  answered: 4,
  calls: [{ requestId: 'r1', at: '1970-01-02T00:00:00.000Z' }],
};
const rule = (change: Partial<ShownRule> = {}): ShownRule => ({
  id: 'rule1',
  effect: 'allow',
  toolGroup: 'shell',
  label: 'run in ~: ls',
  covers: 'c2',
  lasts: 'always',
  endsAt: null,
  madeAt: '1970-01-01T00:00:00.000Z',
  usedAt: null,
  ...change,
});

/** What is shown of a machine with these rules. */
const hintsOf = async (list: World['rules'], world: Partial<World> = {}) => {
  bench = await setBench({ repeated: [repeated], rules: list, ...world });
  bench.clock.advance(30 * dayMs - bench.clock.now());
  const { hints, load } = bench.app.runWithContext(() => useHints(['m1']));
  await load();
  return hints.value;
};
const listOf = (rules: ShownRule[]) => ({ rules, total: rules.length, remoteRules: false });

const until = async (there: () => boolean) => {
  while (!there()) await flushPromises();
};

it('shows the command, what its rule would have answered, and revokes an unused rule after a confirmation', async () => {
  const removed: string[] = [];
  bench = await setBench({
    repeated: [repeated],
    rules: () => listOf(removed.length > 0 ? [] : [rule()]),
    removed,
  });
  bench.clock.advance(30 * dayMs - bench.clock.now());
  const card = mount(RecapHints, {
    props: { machineIds: ['m1'] },
    global: { ...bench.global, stubs: { RouterLink: { template: '<a><slot /></a>' } } },
    attachTo: document.body,
  });
  close = () => card.unmount();
  const rows = (name: string) =>
    card.findAll(`[data-test=${name}]`).map((one) => one.text().replaceAll(/\s+/g, ' '));
  await until(() => rows('unused').length === 1);
  const [row] = rows('repeated');
  expect(row).toContain('You allowed npm test 3 times');
  expect(row).toContain(
    'exactly this command in /home/ada/site, for all agents, would have answered 4 questions',
  );
  expect(row).toContain(command);
  await card.find('[data-test=unused] button').trigger('click');
  const confirm = () =>
    [...document.querySelectorAll<HTMLElement>('[role=dialog] button')].find(
      (one) => one.textContent?.trim() === 'Revoke',
    );
  await until(() => confirm() !== undefined);
  expect(removed).toEqual([]);
  confirm()?.click();
  await until(() => rows('unused').length === 0);
  expect(removed).toEqual(['rule1']);
});

it.each<[string, Partial<Repeated>, string[]]>([
  [
    'filesystemWrite',
    { text: '/a.txt', folder: null },
    ['a change of /a.txt 3 times', 'change or delete exactly this file, for all agents', command],
  ],
  [
    'browser',
    { text: 'a.example', folder: null },
    ['visits to a.example 3', 'visit exactly this host', command],
  ],
  [
    'network',
    { text: 'npm i', folder: '/site', host: 'a.example' },
    ['npm i to connect to a.example 3', 'let exactly this command in /site connect to a.example', command],
  ],
  [
    'mcp',
    { text: 'notes/add', folder: null, command: null },
    ['notes/add 3 times', 'call exactly this tool as it is now', 'choose Allow more, then Always'],
  ],
])('says what a rule of %s would permit, and how it is made', async (toolGroup, change, words) => {
  bench = await setBench({ repeated: [{ ...repeated, toolGroup, ...change }], rules: () => listOf([]) });
  const card = mount(RecapHints, {
    props: { machineIds: ['m1'] },
    global: { ...bench.global, stubs: { RouterLink: { template: '<a><slot /></a>' } } },
  });
  close = () => card.unmount();
  await until(() => card.find('[data-test=repeated]').exists());
  const text = card.get('[data-test=repeated]').text().replaceAll(/\s+/g, ' ');
  for (const word of words) expect(text).toContain(word);
  expect(text.includes('run this on the machine')).toBe(toolGroup !== 'mcp');
});

it.each<[string, World['rules'], number]>([
  ['has no such rule', () => listOf([rule()]), 1],
  ['denies it', () => listOf([rule({ covers: 'c1', effect: 'deny' })]), 1],
  ['has the rule', () => listOf([rule({ covers: 'c1' })]), 0],
  ['does not list all of its rules', () => ({ ...listOf([]), total: 1 }), 0],
  [
    'does not say its rules',
    () => {
      throw new TRPCError({ code: 'PRECONDITION_FAILED', message: 'not connected' });
    },
    0,
  ],
])('CF-30 of a machine that %s, a rule is offered as it should', async (_name, list, count) => {
  expect((await hintsOf(list))?.repeated).toHaveLength(count);
});

it('names allow rules that are known to have answered nothing for 30 days', async () => {
  const since = '1970-01-01T00:00:00.001Z';
  const hints = await hintsOf(() =>
    listOf([
      rule(),
      rule({ id: 'used long ago', madeAt: null, usedAt: '1970-01-01T00:00:00.000Z' }),
      rule({ id: 'used since', usedAt: since }),
      rule({ id: 'made since', madeAt: since }),
      rule({ id: 'of unknown age', madeAt: null }),
      rule({ id: 'a denial', effect: 'deny' }),
      rule({ id: 'for the session', lasts: 'session' }),
    ]),
  );
  expect(hints?.unused.map((one) => one.rule.id)).toEqual(['rule1', 'used long ago']);
});

it('of a machine that is away, no rule goes: what it used since is not known', async () => {
  const asOf = '1970-01-01T00:00:00.000Z';
  expect((await hintsOf(() => ({ ...listOf([rule()]), asOf })))?.unused).toEqual([]);
});
