import { createFakeClock } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { clockKey } from '../../api/index.ts';
import ResultView from './result-view.vue';

const show = (result: InstanceType<typeof ResultView>['$props']['result']) =>
  mount(ResultView, { props: { result }, global: { provide: { [clockKey]: createFakeClock() } } });

it.each([
  ['markup', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['a link', '[x](javascript:alert(1))', '[x](javascript:alert(1))'],
  ['terminal colours', '\u001b[31mred', '\\x1b[31mred'],
])('shows %s as text', (_what, text, expected) => {
  const view = show({ content: [{ type: 'text', text }] });
  expect(view.find('[data-test=text]').text()).toBe(expected);
  expect(view.findAll('img, a')).toEqual([]);
});

it.each([
  ['image/png', ['data:image/png;base64,aGk=']],
  ['image/webp', ['data:image/webp;base64,aGk=']],
  ['image/svg+xml', []],
  ['text/html', []],
])('draws a picture of type %s: %j', (mimeType, sources) => {
  const view = show({ content: [{ type: 'image', data: 'aGk=', mimeType }] });
  expect(view.findAll('img').map((img) => img.attributes('src'))).toEqual(sources);
});

it('shows the first part of a long text, and all of it on request', async () => {
  const view = show({ content: [{ type: 'text', text: 'x'.repeat(20_001) }] });
  expect(view.find('[data-test=text]').text().length).toBe(20_000);
  const more = view.findAll('button').find((button) => button.text() === 'Show all');
  await more?.trigger('click');
  expect(view.find('[data-test=text]').text().length).toBe(20_001);
});

it('shows an object in its parts', () => {
  const view = show({ content: [{ type: 'text', text: '{"path":"a.txt","content":"one\\ntwo\\n"}' }] });
  expect([view.find('dl').text(), view.find('[data-test=text]').text()]).toEqual([
    'Patha.txt',
    'one\ntwo\n'.trim(),
  ]);
});

it('says when there is nothing', () => {
  expect(show({ content: [] }).text()).toBe('The result is empty.');
});
