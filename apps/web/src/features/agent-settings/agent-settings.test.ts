import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { agentWorldOf, creditsOf, type AgentWorld } from '../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import AgentCard from './agent-card.vue';
import ChatsCard from './chats-card.vue';
import { decimal, numberOrNull, serversOf, whole } from './form-values.ts';
import MemoryCard from './memory-card.vue';
import { useUsageStore } from './use-usage-store.ts';
import OwnKeysCard from './own-keys-card.vue';

let bench: Bench;
afterEach(() => bench.close());

const open = async (
  component: typeof AgentCard | typeof MemoryCard | typeof OwnKeysCard,
  change: Partial<AgentWorld> = {},
) => {
  bench = await setBench({ agent: agentWorldOf(change) });
  const wrapper = mount(component, { global: bench.global });
  await expect.poll(() => wrapper.find('form').exists()).toBe(true);
  return wrapper;
};
const calls = () => bench.fixture.world.agent.calls;

it('never shows a key, and sends one only when it was typed or removed', async () => {
  const card = await open(AgentCard);
  const model = card.get('form[aria-label=Model]');
  expect([model.text(), model.get<HTMLInputElement>('input[name=modelKey]').element.value]).toEqual([
    expect.stringContaining('ends in abcd'),
    '',
  ]);
  await model.trigger('submit');
  await expect.poll(calls).toHaveLength(1);
  expect(calls()[0]?.[1]).not.toHaveProperty('modelKey');
  await model.get('input[name=modelKey]').setValue('a new key');
  await model.trigger('submit');
  await expect
    .poll(() => calls()[1]?.[1])
    .toMatchObject({ model: 'anthropic/some-model', modelKey: 'a new key' });
  await expect.poll(() => model.get<HTMLInputElement>('input[name=modelKey]').element.value).toBe('');
  await model.get('[aria-label="Remove: Key"]').trigger('click');
  await model.trigger('submit');
  await expect.poll(() => calls()[2]?.[1]).toMatchObject({ modelKey: null });
});

it.each([
  ['none', { isOn: false, problem: null }, false, false],
  ['local', { isOn: true, problem: null }, true, false],
  ['local', { isOn: false, problem: 'Workspaces are not offered: no bubblewrap.' }, false, true],
] as const)(
  'offers a policy for workspaces where there are some: %s, %o',
  async (kind, workspace, row, sentence) => {
    const settings = { ...agentWorldOf().settings, workspaces: kind, workspace };
    const card = await open(AgentCard, { settings });
    const text = card.get('form[aria-label="What it may do"]').text();
    expect([text.includes('Use the workspace of a chat'), text.includes('not offered')]).toEqual([
      row,
      sentence,
    ]);
  },
);

it('turns workspaces on, and leaves the value of the environment alone otherwise', async () => {
  const form = (await open(AgentCard)).get('form[aria-label="What it may do"]');
  await form.trigger('submit');
  await expect.poll(() => calls()).toHaveLength(1);
  expect(calls()[0]?.[1]).not.toHaveProperty('workspaces');
  await form.get('button[role=switch]').trigger('click');
  expect(form.text()).toContain('Use the workspace of a chat');
  await form.trigger('submit');
  await expect.poll(() => calls()[1]?.[1]).toMatchObject({ workspaces: 'local' });
});

it('tests the model, line by line', async () => {
  const card = await open(AgentCard, {
    lines: [
      { name: 'Reached', state: 'ok', text: '' },
      { name: 'Calls a tool', state: 'failed', text: 'Choose a model with tools' },
    ],
  });
  const url = card.get('input[name=modelUrl]');
  await url.setValue('localhost:5910');
  await card.get('[data-test=verify-model]').trigger('click');
  expect(calls()).toEqual([]);
  await url.setValue('http://localhost:5910/v1');
  await card.get('[data-test=verify-model]').trigger('click');
  await expect.poll(() => card.find('[data-test=lines]').exists()).toBe(true);
  expect(card.findAll('[data-test=lines] li').map((line) => line.text())).toEqual([
    expect.stringContaining('Reached'),
    expect.stringContaining('Choose a model with tools'),
  ]);
  expect(calls()).toEqual([
    [
      'settings.verify',
      { target: 'model', draft: { model: 'anthropic/some-model', modelUrl: 'http://localhost:5910/v1' } },
    ],
  ]);
});

it.each(['search', 'mcp', 'domain'])('tests the services that are typed: %s', async (target) => {
  const card = await open(AgentCard, { lines: [{ name: 'Reached', state: 'ok', text: '' }] });
  const form = card.get('form[aria-label=Services]');
  await form.get('textarea').setValue('docs = https://docs.example/mcp');
  await form.get('input[name=searxngUrl]').setValue('http://searx.lan');
  await form.get('input[name=n8nUrl]').setValue('');
  await form.get('input[name=braveKey]').setValue('typed key');
  await form.get(`[data-test=verify-${target}]`).trigger('click');
  await expect.poll(() => form.find('[data-test=lines]').exists()).toBe(true);
  const draft = {
    mcpServers: [{ name: 'docs', url: 'https://docs.example/mcp' }],
    searxngUrl: 'http://searx.lan',
    n8nUrl: null,
    braveKey: 'typed key',
  };
  expect(calls()).toEqual([['settings.verify', { target, draft }]]);
});

it('says why a change was refused', async () => {
  const card = await open(AgentCard, { fails: { 'settings.change': 'BAD_REQUEST' } });
  await card.get('form[aria-label="Prices and budgets"]').trigger('submit');
  await expect.poll(() => card.text()).toContain('Refused: BAD_REQUEST');
});

it('reads, changes and switches off what is remembered', async () => {
  const card = await open(MemoryCard);
  const person = card.get<HTMLTextAreaElement>('textarea[name=person]');
  expect(person.element.value).toBe('Writes TypeScript');
  await person.setValue('Writes Go');
  await card.get('form').trigger('submit');
  await expect
    .poll(() => calls().at(-1))
    .toMatchObject(['memory.change', { version: 3, sections: { person: 'Writes Go' } }]);
  // A change that is being saved has the version that the next one must name.
  await expect.poll(() => card.get('[role=switch]').attributes('disabled')).toBeUndefined();
  await card.get('[role=switch]').trigger('click');
  await flushPromises();
  await expect.poll(() => calls().at(-1)).toEqual(['memory.change', { enabled: false, version: 4 }]);
});

it('keeps what is typed and not saved when memory is switched off', async () => {
  const card = await open(MemoryCard);
  const person = card.get<HTMLTextAreaElement>('textarea[name=person]');
  await person.setValue('Writes Go');
  await card.get('[role=switch]').trigger('click');
  await expect.poll(() => card.get('[role=switch]').attributes('aria-checked')).toBe('false');
  expect(person.element.value).toBe('Writes Go');
});

it('refuses a number that it would read as another one', () => {
  const accepts = (pattern: string) => (text: string) => new RegExp(`^(?:${pattern})$`, 'v').test(text);
  const typed = ['2.50', ' 1,000 ', '1,000.5', '12', '2,50', '12abc', '1,0000'];
  expect(typed.filter(accepts(decimal.pattern))).toEqual(['2.50', ' 1,000 ', '1,000.5', '12']);
  expect(typed.filter(accepts(whole.pattern))).toEqual([' 1,000 ', '12']);
});

it('replaces the own key for n8n without showing it', async () => {
  const card = await open(OwnKeysCard);
  expect(card.text()).toContain('ends in wxyz');
  await card.get('input[name=n8nKey]').setValue('my new key');
  await card.get('form').trigger('submit');
  await expect.poll(() => calls().at(-1)).toEqual(['settings.userKeys.change', { n8n: 'my new key' }]);
});

it('shows what was used today, and deletes all chats once that is confirmed', async () => {
  bench = await setBench({ agent: agentWorldOf() });
  const card = mount(ChatsCard, { global: bench.global, attachTo: document.body });
  await expect.poll(() => card.get('[data-test=today]').text()).toBe('Today: 41,000 tokens · 0.21');
  const limited = { ...creditsOf(42_000), quota: 50_000 };
  useUsageStore().onUsage({ type: 'usageChanged', credits: limited });
  await expect
    .poll(() => card.get('[data-test=today]').text())
    .toBe('Today: 42,000 tokens · 0.21 of 50,000 tokens');
  await card.get('[data-test=delete-chats]').trigger('click');
  expect(calls()).toEqual([]);
  const confirm = () =>
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.trim() === 'Delete all');
  await expect.poll(confirm).toBeDefined();
  confirm()?.click();
  await expect.poll(() => card.text()).toContain('All chats are deleted');
  expect(calls()).toEqual([['threads.removeAll', undefined]]);
  card.unmount();
});

it('reads numbers and servers as they are typed', () => {
  expect(['', ' 1,000 ', '0.5', 'x'].map(numberOrNull)).toEqual([null, 1_000, 0.5, null]);
  expect(serversOf('docs = https://a.b/?x=1\n\nhttps://c.d')).toEqual([
    { name: 'docs', url: 'https://a.b/?x=1' },
    { name: '', url: 'https://c.d' },
  ]);
});
