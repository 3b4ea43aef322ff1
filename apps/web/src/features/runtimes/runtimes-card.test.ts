import type { ShownRuntime } from '@drawbridge/contracts/machines/runtimes';
import { mount } from '@vue/test-utils';
import { expect, it, onTestFinished, vi } from 'vitest';
import { machineOf } from '../../../test/worlds.ts';
import { setBench } from '../../../test/mounting.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import RuntimesCard from './runtimes-card.vue';

const gone = { isFound: false, isEnabled: false, version: null, isSignedIn: null } as const;
const claude: ShownRuntime = {
  ...{ id: 'claude_code', title: 'Claude Code', isFound: true, isEnabled: true },
  ...{ version: '2.1.330', isSignedIn: true, missing: null, fix: null },
};
const gemini: ShownRuntime = {
  ...{ id: 'gemini', title: 'Gemini\u202e CLI', ...gone },
  ...{ missing: 'not found', fix: 'npm install -g @google/gemini-cli' },
};

it('RT-17 shows each coding agent with its state and the command that mends it, and tests one', async () => {
  const into = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {});
  onTestFinished(() => into.mockRestore());
  const { api, fixture, global, close } = await setBench({ runtimes: { runtimes: [claude, gemini] } });
  location.hash = '#runtimes';
  const card = mount(RuntimesCard, { props: { machineId: 'm1' }, global, attachTo: document.body });
  const rows = () => card.findAll('[data-test=runtime-row]');
  await expect.poll(() => rows().length).toBe(2);
  expect(into).toHaveBeenCalledOnce();
  const texts = () => card.findAll('[data-test=runtime-state]').map((one) => one.text());
  expect(texts()).toEqual(['Enabled · version 2.1.330 · signed in', 'Not found']);
  expect(rows()[1]?.get('code').text()).toBe('npm install -g @google/gemini-cli');
  // What is not there is one line until it is opened.
  expect(card.get('[data-test=absent]').attributes('open')).toBeUndefined();
  expect(card.get('[data-test=absent] summary').text()).toBe('1 not found: Gemini\\u{202e} CLI');
  expect(card.findAll('button').filter((one) => one.text() === 'Copy command')).toHaveLength(1);
  // What is not enabled has no button: only a command on the machine enables it.
  expect(card.findAll('[aria-label^=Test]')).toHaveLength(1);

  fixture.world.runtimes = {
    runtimes: [{ ...claude, isSignedIn: false, missing: 'not signed in', fix: 'claude auth login' }],
    tested: { runtime: 'claude_code', reason: 'Not logged in \u202e' },
  };
  await card.get('[aria-label^=Test]').trigger('click');
  await expect.poll(() => card.find('[data-test=tested]').exists()).toBe(true);
  expect(card.get('[data-test=tested]').text()).toContain('Failed: Not logged in \\u{202e}');
  expect(texts()).toEqual(['Enabled, not signed in · version 2.1.330']);

  // The card asks again where the machine offers other tools, and not at each change of its latency.
  let asked = 0;
  const answer = () => ({ runtimes: [gemini], asked: (asked += 1) });
  Object.defineProperty(fixture.world, 'runtimes', { get: answer });
  const { onEvent } = useMachinesStore();
  const change = (toolCount: number, latencyMs: number) =>
    onEvent({ type: 'machines', machines: [{ ...machineOf({ id: 'm1' }), toolCount, latencyMs }] });
  change(3, 1);
  await expect.poll(texts).toEqual(['Not found']);
  expect(asked).toBe(1);
  change(3, 2);
  // What the card has asked is answered before.
  await api.machines.runtimes.query({ machineId: 'm1' });
  expect(asked).toBe(2);
  card.unmount();
  await close();
});
