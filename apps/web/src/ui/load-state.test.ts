import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { unreachable } from '../api/index.ts';
import LoadState from './load-state.vue';

it.each([
  [unreachable, 'Not loaded yetThe server does not respond.', false],
  [{ code: 'FORBIDDEN', message: 'Not yours', fix: null }, 'Not yours', true],
])(
  'of what could not be loaded it says why, as a fault only where it is one: %j',
  (failure, text, isFault) => {
    const note = mount(LoadState, { props: { count: 1, failure } }).get('[role=alert]');
    expect([note.text(), note.classes().includes('border-error/30')]).toEqual([text, isFault]);
  },
);
