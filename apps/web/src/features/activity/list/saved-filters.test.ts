import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { useSessionStore } from '../../session/use-session-store.ts';
import { readFilter, type ActivityFilter } from '../filter.ts';
import SavedFilters from './saved-filters.vue';

let bench: Bench;
let close = () => {};
beforeEach(() => localStorage.clear());
afterEach(async () => {
  close();
  await bench.close();
});

const failed = readFilter({ state: 'failed', from: '7d' });
const open = async (filter: ActivityFilter, user = 'u1') => {
  bench = await setBench();
  const ada = { id: user, name: 'Ada', email: 'ada@example.com', isOwner: true };
  useSessionStore().session = { kind: 'signed-in', user: ada };
  const bar = mount(SavedFilters, { props: { filter }, global: bench.global, attachTo: document.body });
  close = () => bar.unmount();
  return bar;
};
const press = async (key: string) => {
  dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
  await flushPromises();
};

it('saves a filter by a name, applies it by a click or its number, and deletes it', async () => {
  const bar = await open(failed);
  const saved = () => bar.findAll('[data-test=saved-filter]').map((one) => one.find('span').text());
  await press('s');
  const field = bar.find<HTMLInputElement>('[data-test=filter-name] input, input[data-test=filter-name]');
  expect(document.activeElement).toBe(field.element);
  await field.setValue('  Failed this week ');
  await bar.find('form').trigger('submit');
  expect([saved(), bar.find('[data-test=saved-filter]').attributes('aria-pressed')]).toEqual([
    ['Failed this week'],
    'true',
  ]);

  await bar.setProps({ filter: readFilter({}) });
  expect(bar.find('[data-test=save-filter]').exists()).toBe(false);
  await bar.find('[data-test=saved-filter]').trigger('click');
  await press('1');
  await press('2');
  expect(bar.emitted('apply')).toEqual([[failed], [failed]]);
  close();
  await bench.close();

  // It is there at the next visit, for its person alone.
  const other = await open(failed, 'u2');
  expect(other.findAll('[data-test=saved-filter]')).toEqual([]);
  close();
  await bench.close();
  const again = await open(readFilter({}));
  const gone = again.find('[data-test=delete-filter]');
  expect(gone.attributes('aria-label')).toBe('Delete the saved filter Failed this week');
  await gone.trigger('click');
  expect(again.find('[data-test=saved-filters]').exists()).toBe(false);
  expect(localStorage).toHaveLength(0);
});

it('keeps nine, replaces one of the same name, and says why a tenth is not saved', async () => {
  const nine = Array.from({ length: 9 }, (_, at) => ({ name: `No ${at}`, query: { q: `${at}` } }));
  localStorage.setItem('drawbridge-filters u1', JSON.stringify(nine));
  const bar = await open(failed);
  await press('s');
  const field = bar.find('[data-test=filter-name] input, input[data-test=filter-name]');
  await field.setValue('A tenth');
  expect(bar.text()).toContain('9 are saved. Delete one first.');
  await bar.find('form').trigger('submit');
  expect(bar.findAll('[data-test=saved-filter]')).toHaveLength(9);
  await field.setValue('No 3');
  await bar.find('form').trigger('submit');
  await press('4');
  expect(bar.emitted('apply')).toEqual([[failed]]);
});

it.each(['no JSON', '{"name":1}', '[null,{"name":"a"},{"name":"b","query":[1]}]'])(
  'what is stored and does not fit selects everything or is left out: %s',
  async (text) => {
    localStorage.setItem('drawbridge-filters u1', text);
    const bar = await open(failed);
    expect(bar.findAll('[data-test=saved-filter]').length).toBeLessThan(2);
    await press('1');
    expect((bar.emitted('apply') ?? []).every(([one]) => one !== undefined)).toBe(true);
  },
);
