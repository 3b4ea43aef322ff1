import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
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
