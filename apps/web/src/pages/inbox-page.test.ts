import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { useAgentStore } from '../features/chat/use-agent-store.ts';
import { useConfirmationsStore } from '../features/confirmations/use-confirmations-store.ts';
import { useMachinesStore } from '../features/machines/use-machines-store.ts';
import { useSessionStore } from '../features/session/use-session-store.ts';
import { router } from '../../test/router.ts';
import { setBench, type Bench } from '../../test/mounting.ts';
import { confirmationOf, machineOf } from '../../test/worlds.ts';
import InboxPage from './inbox-page.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  vi.unstubAllGlobals();
  close();
  await bench.close();
});

const open = async (
  confirmations: Confirmation[],
  confirmationId = 'c1',
  world: Parameters<typeof setBench>[0] = {},
) => {
  bench = await setBench({ confirmations, ...world });
  await router.push(`/inbox/${confirmationId}`);
  await Promise.all([useConfirmationsStore().load(), useAgentStore().load()]);
  const page = mount(InboxPage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  return page;
};
const until = async (there: () => boolean) => {
  while (!there()) await flushPromises();
};

it('shows the card of the question that its address names, and no other', async () => {
  const page = await open([confirmationOf({ id: 'c0', tool: 'delete' }), confirmationOf()]);
  await until(() => page.find('[data-test=confirmation]').exists());
  expect(page.findAll('[data-test=confirmation]')).toHaveLength(1);
  expect(page.findAll('h1').map((one) => one.text())).toEqual(['Change a.txt?']);
});

it.each([
  ['allowed', { state: 'decided', approved: true, decision: 'allowOnce' }, 'Allowed'],
  ['denied', { state: 'decided', approved: false, decision: 'denyOnce' }, 'Denied'],
  ['withdrawn', { state: 'withdrawn' }, 'Withdrawn: the call ended'],
  ['expired', { state: 'expired' }, 'Expired and denied'],
] as const)('shows how a question ended that is %s', async (_, change, words) => {
  const page = await open([confirmationOf(change)]);
  await until(() => page.text().includes('This question is closed'));
  expect(page.text()).toContain(words);
  expect(page.find('[data-test=confirmation]').exists()).toBe(false);
});

it('says so where there is no such question', async () => {
  const page = await open([confirmationOf()], 'c9');
  await until(() => page.text().includes('Question not found'));
  expect(page.find('[data-test=confirmation]').exists()).toBe(false);
});

const allowed: NonNullable<Parameters<typeof setBench>[0]>['decide'] = ({ confirmationId }) => ({
  confirmationId,
  state: 'decided',
  approved: true,
  decision: 'allowOnce',
});
const titles = (page: Awaited<ReturnType<typeof open>>) => page.findAll('h1').map((one) => one.text());
const press = (key: string) =>
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));

it('an answer leads to the next question, which has the focus and sleeps; the last one stays', async () => {
  const asked = ['c0', 'c1'].map((id) => confirmationOf({ id, title: `Question ${id}?` }));
  const page = await open(asked, 'c0', { decide: allowed });
  await until(() => titles(page).includes('Question c0?'));
  bench.clock.advance(500);
  await flushPromises();
  press('a');
  await until(() => titles(page).includes('Question c1?'));
  expect(document.activeElement?.matches('[data-answers]')).toBe(true);
  press('a');
  await flushPromises();
  expect(useConfirmationsStore().open.map(({ id }) => id)).toEqual(['c1']);
  bench.clock.advance(500);
  await flushPromises();
  press('a');
  await until(() => useConfirmationsStore().open.length === 0);
  await flushPromises();
  expect(router.currentRoute.value.path).toBe('/inbox/c1');
  // What comes after the last answer opens too, without the focus.
  const late = confirmationOf({ id: 'c2', title: 'Question c2?' });
  useConfirmationsStore().onConfirmation({ type: 'confirmation', confirmation: late });
  await until(() => titles(page).includes('Question c2?'));
  expect(document.activeElement?.matches('[data-answers]')).toBe(false);
});

it('a row names its machine beside who asks, and an empty list has no line at its side', async () => {
  const via = { kind: 'thread', id: 't', name: 'Redesign of the blog · Rewrite the heads' } as const;
  const asked = [confirmationOf({ id: 'c0', via }), confirmationOf({ id: 'c1', via, tool: 'delete' })];
  const page = await open(asked, 'c0', { machines: [machineOf({ name: 'laptop' })] });
  await useMachinesStore().load();
  await until(() => page.findAll('[data-test=row]').length === 2);
  expect(page.findAll('[data-test=row-machine]').map((one) => one.text())).toEqual(['· laptop', '· laptop']);
  const list = () => page.get('section').classes();
  expect(list()).toContain('lg:border-r');
  bench.fixture.world.confirmations = [];
  await useConfirmationsStore().load();
  await router.push('/inbox');
  await until(() => page.text().includes('Nothing waits for you'));
  expect(list().filter((one) => one.endsWith('border-r'))).toEqual([]);
});

it('in a narrow window, a list that was left under the pointer is not held', async () => {
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  const page = await open([confirmationOf()], '');
  const list = page.find('[data-test=inbox-list]');
  const enter = new Event('pointerenter');
  list.element.dispatchEvent(Object.assign(enter, { pointerType: 'mouse' }));
  await router.push('/inbox/c1');
  await until(() => !page.find('[data-test=inbox-list]').exists());
  const store = useConfirmationsStore();
  const withdrawn = confirmationOf({ state: 'withdrawn' });
  bench.fixture.world.confirmations = [withdrawn];
  store.onConfirmation({ type: 'confirmation', confirmation: withdrawn });
  await until(() => page.text().includes('This question is closed'));
  await router.push('/inbox');
  await until(() => page.find('[data-test=closed]').exists());
  store.dismiss('c1');
  await flushPromises();
  expect(page.find('[data-test=closed]').exists()).toBe(false);
});

it('a question that comes while the person leaves takes them to no question', async () => {
  const page = await open([confirmationOf({ id: 'c0' })], 'c0', { decide: allowed });
  await until(() => titles(page).length === 1);
  bench.clock.advance(500);
  await flushPromises();
  press('a');
  await until(() => useConfirmationsStore().open.length === 0);
  const files = Promise.withResolvers<object>();
  onTestFinished(router.addRoute({ path: '/slow', component: () => files.promise }));
  const left = router.push('/slow');
  await flushPromises();
  const late = confirmationOf({ id: 'c2' });
  useConfirmationsStore().onConfirmation({ type: 'confirmation', confirmation: late });
  await flushPromises();
  files.resolve({ render: () => null });
  await left;
  expect(router.currentRoute.value.path).toBe('/slow');
});

it('shows nothing before the chats are known, so that no row moves, but waits for them a second at most', async () => {
  bench = await setBench({ confirmations: [confirmationOf()] });
  await router.push('/inbox');
  const page = mount(InboxPage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  await useConfirmationsStore().load();
  await flushPromises();
  bench.clock.advance(999);
  await flushPromises();
  expect(page.findAll('[data-test=row]')).toHaveLength(0);
  bench.clock.advance(1);
  await until(() => page.findAll('[data-test=row]').length === 1);
});

it('CF-32 several questions are denied together, after a list of exactly these, and none is allowed', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
  const answers: unknown[] = [];
  const named = (id: string) => {
    const name = id === 'c9' ? 'Nightly' : 'Desk';
    return confirmationOf({ id, title: `Question ${id}?`, tool: id, via: { kind: 'token', id: name, name } });
  };
  const page = await open(['c0', 'c1', 'c2', 'c9'].map(named), 'c0', {
    decide: ({ confirmationId, approved, resourceDecision }) => {
      answers.push([confirmationId, resourceDecision]);
      return { confirmationId, state: 'decided', approved, decision: resourceDecision ?? null };
    },
  });
  await until(() => titles(page).includes('Question c0?'));
  press('x');
  press('j');
  await until(() => titles(page).includes('Question c1?'));
  press('x');
  await until(() => page.find('[data-test=selection]').exists());
  expect(page.find('[data-test=selection]').text()).toContain('2 selected');
  // All that the same agent asks, by the button and by Shift+X.
  const alike = () => page.find('[data-test=select-alike]');
  expect(alike().text()).toBe('Select all 3 from Desk');
  await alike().trigger('click');
  expect(page.find('[data-test=selection]').text()).toContain('3 selected');
  expect(alike().classes()).toContain('invisible');
  press('Escape');
  press('X');
  await flushPromises();
  expect(page.find('[data-test=selection]').text()).toContain('3 selected');
  press('j');
  await until(() => titles(page).includes('Question c2?'));
  press('x');
  await flushPromises();
  // While some are selected, no key and no button answers the question beside them.
  bench.clock.advance(500);
  await flushPromises();
  expect(page.find('[data-decision]').exists()).toBe(false);
  press('a');
  press('r');
  press('d');
  await until(() => document.querySelector('[data-test=denied-list]') !== null);
  expect(page.find('[data-test=reason]').exists()).toBe(false);
  // One that comes while the list is read is not among them.
  const late = named('c3');
  bench.fixture.world.confirmations.push(late);
  await useConfirmationsStore().load();
  const dialog = document.querySelector('[role=dialog]');
  expect(
    [...(dialog?.querySelectorAll('section > p, li') ?? [])].map((one) => one.textContent?.trim()),
  ).toEqual([expect.stringMatching(/^Desk.*2$/), 'Question c0?', 'Question c1?']);
  expect(dialog?.textContent).not.toContain('Allow');
  expect(answers).toEqual([]);
  const confirm = () =>
    [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] button')]
      .find((one) => one.textContent?.includes('Deny 2'))
      ?.click();
  confirm();
  const store = useConfirmationsStore();
  const texts = () => store.closed.map(({ text }) => text);
  const ids = () => store.open.map(({ id }) => id);
  await until(() => texts().includes('Denying 2 questions'));
  expect([ids(), answers]).toEqual([['c2', 'c3', 'c9'], []]);

  // Until it is sent, one key undoes it, and says what it could not undo.
  const confirmation = { ...named('c1'), state: 'decided', approved: true, decision: 'allowOnce' } as const;
  store.onConfirmation({ type: 'confirmation', confirmation });
  await until(() => document.querySelector('[role=dialog]') === null);
  press('z');
  await until(() => texts().includes('Not denied: 1 question waits again. 1 had closed before'));
  bench.clock.advance(60_000);
  await flushPromises();
  expect([ids(), answers]).toEqual([['c0', 'c2', 'c3', 'c9'], []]);

  const two = store.open.filter(({ id }) => id === 'c0' || id === 'c3');
  store.denyLater({ members: two });
  bench.clock.advance(6_000);
  await until(() => texts().includes('Denied 2 questions'));
  press('z');
  await flushPromises();
  expect([ids(), answers.toSorted()]).toEqual([
    ['c2', 'c9'],
    [
      ['c0', 'denyOnce'],
      ['c3', 'denyOnce'],
    ],
  ]);
});

it('a denial by a key has Undo until it is sent, with its reason', async () => {
  const answers: unknown[] = [];
  const named = (id: string) => confirmationOf({ id, title: id, tool: id });
  const page = await open(['c0', 'c1', 'c2'].map(named), 'c1', {
    decide: ({ confirmationId, approved, reason }) => {
      answers.push([confirmationId, reason]);
      return { confirmationId, state: 'decided', approved, decision: 'denyOnce' };
    },
  });
  const store = useConfirmationsStore();
  const texts = () => store.closed.map(({ text }) => text);
  const wake = async () => {
    bench.clock.advance(500);
    await flushPromises();
  };
  await until(() => titles(page).includes('c1'));
  await wake();
  press('d');
  // The one below it is next.
  await until(() => titles(page).includes('c2'));
  expect(texts()).toEqual(['Denying']);
  press('z');
  await until(() => store.open.length === 3);
  expect(texts()).toEqual(['Not denied: the question waits again']);

  await wake();
  press('r');
  await until(() => page.find('[data-test=reason]').exists());
  await page.get('[data-test=reason]').setValue('wait');
  await page.get('[data-test=reason]').trigger('keydown', { key: 'Enter' });
  bench.clock.advance(5_999);
  await flushPromises();
  // The note of the first denial expires, and leaves that of the second.
  expect([texts(), answers]).toEqual([['Denying: wait'], []]);
  bench.clock.advance(1);
  await until(() => texts().includes('Denied: wait'));
  expect(answers).toEqual([['c2', 'wait']]);
});

const hide = async () => {
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  state.mockRestore();
};
const leave = () => useSessionStore().signOut();
it.each([
  ['the window is hidden', hide],
  ['the user signs out', leave],
])('a denial that is held is sent at once when %s', async (_what, end) => {
  const answers: unknown[] = [];
  await open(
    ['c0', 'c1'].map((id) => confirmationOf({ id, title: id })),
    'c0',
    {
      decide: ({ confirmationId, approved }) => {
        answers.push(confirmationId);
        return { confirmationId, state: 'decided', approved, decision: 'denyOnce' };
      },
    },
  );
  const store = useConfirmationsStore();
  await until(() => store.open.length === 2);
  store.denyLater({ members: store.open });
  await end();
  await until(() => answers.length === 2);
});
