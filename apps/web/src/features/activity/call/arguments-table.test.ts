import { createFakeClock } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { clockKey } from '../../../api/index.ts';
import ArgumentsTable from './arguments-table.vue';

const digest = (bytes: number) => ({ 'drawbridge/not-kept': { bytes, sha256: 'a'.repeat(64) } });

it.each([
  ['that were not kept', digest(3_900_000), 'Arguments of 3.9 MB, not kept.'],
  ['of less, that were not kept', digest(70_000), 'Arguments of 70 kB, not kept.'],
  ['that only look so', { 'drawbridge/not-kept': 'x' }, 'drawbridge/not-kept'],
  ['that are none', {}, 'None.'],
])('NJ-01: shows arguments %s', (_, args, words) => {
  expect(mount(ArgumentsTable, { props: { args } }).text()).toContain(words);
});

it('shows arguments in words, and as they were sent on request', async () => {
  const args = { filePath: 'a.txt', newString: 'x', replaceAll: true };
  const table = mount(ArgumentsTable, {
    props: { args, shownAbove: ['newString'] },
    global: { provide: { [clockKey]: createFakeClock() } },
  });
  expect(table.get('dl').text()).toBe('Filea.txtReplace allYes');
  await table.get('[data-test=raw-arguments]').trigger('click');
  expect(table.get('[data-test=text]').text()).toBe(JSON.stringify(args, null, 2));
});
