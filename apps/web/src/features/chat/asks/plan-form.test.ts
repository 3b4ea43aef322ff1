import type { PlanTask } from '@drawbridge/contracts/agent/tasks';
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import PlanForm from './plan-form.vue';

it('NA-29: shows what each task of a plan is told and may use before it can start', async () => {
  const task = (id: string, kind: PlanTask['kind'], tools: string[] = []): PlanTask => ({
    ...{ id, title: 'Read docs', kind, spec: `spec of ${id}\nrm -rf ${id}\u202e`, deps: [], tools },
  });
  const planItems = [
    task('a', 'delegate', ['write_file', 'shell_execute']),
    task('b', 'machine'),
    task('c', 'research', ['read_file']),
    task('d', 'domain:n8n'),
    task('e', 'delegate'),
    task('f', 'checkpoint'),
  ];
  const wrapper = mount(PlanForm, { props: { items: planItems, ready: true } });
  const lines = wrapper.findAll('[data-test=plan] > li');
  expect(lines.map((line) => line.get('[data-test=details]').attributes('aria-expanded'))).toEqual(
    planItems.map(() => 'true'),
  );
  const everything = 'May use: every tool of the machine, the workspace and connected products';
  expect(lines.map((line) => line.get('[data-test=tools]').text())).toEqual([
    'May use: write_file, shell_execute',
    everything,
    'May use: fetch-url, web-search, read-result, read_file',
    everything,
    'May use: no tools',
    'May use: nothing: the main agent judges',
  ]);
  for (const [at, { id }] of planItems.entries())
    expect(lines[at]?.get('[data-test=spec]').text()).toBe(`spec of ${id}\nrm -rf ${id}\\u{202e}`);
  await wrapper.get('[data-test=approve]').trigger('click');
  expect(wrapper.emitted('answer')).toEqual([[{ kind: 'approval', approved: true }]]);
});
