import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import CallProgress from './call-progress.vue';
import { appended, noOutput } from './live-output.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('');

it('shows what is printed as it comes', async () => {
  let output = appended(noOutput, 'one\n');
  const wrapper = mount(CallProgress, { props: { progress: { output, message: 'working' } } });
  expect(wrapper.find('[data-test=output]').text()).toBe('one');
  expect(wrapper.text()).toContain('working');
  output = appended(output, 'two\n');
  await wrapper.setProps({ progress: { output } });
  expect(wrapper.find('[data-test=output]').text()).toBe('one\ntwo');
});

it('says how much is cut', () => {
  let output = noOutput;
  for (let at = 0; at < 50; at += 1) output = appended(output, lines(at * 1_000, (at + 1) * 1_000));
  const wrapper = mount(CallProgress, { props: { progress: { output } } });
  const shown = wrapper.find('[data-test=output]').text();
  expect(shown.endsWith('line 49999')).toBe(true);
  expect(wrapper.find('[data-test=cut]').text()).toMatch(/^The newest part\. [\d,]{7,} characters before it/);
});

it('keeps a hidden character of the output in sight', () => {
  const output = appended(noOutput, 'a\u202Eb');
  const wrapper = mount(CallProgress, { props: { progress: { output } } });
  expect(wrapper.find('[data-test=output] mark').exists()).toBe(true);
});

it('draws nothing where nothing was printed', () => {
  const wrapper = mount(CallProgress, { props: { progress: undefined } });
  expect(wrapper.find('[data-test=output]').exists()).toBe(false);
});

it.each([
  [undefined, undefined, '100%'],
  [{ progress: 3, total: 4, output: noOutput }, '75', '75%'],
  [{ progress: 9, total: 4, output: noOutput }, '100', '100%'],
  [{ progress: 3, output: noOutput }, undefined, '100%'],
])('says how far the call is, where that is known: %j', (progress, now, width) => {
  const bar = mount(CallProgress, { props: { progress } }).find('[role=progressbar]');
  expect([bar.attributes('aria-label'), bar.attributes('aria-valuenow')]).toEqual(['Running', now]);
  expect(bar.find('div').attributes('style')).toContain(width);
});
