import { createFakeClock } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import { confirmationOf } from '../../../test/worlds.ts';
import { clockKey } from '../../api/index.ts';
import ConfirmationCard from './confirmation-card.vue';

const clock = createFakeClock();
const decide = vi.fn(async () => {});
beforeEach(() => decide.mockClear());

const show = (change: Parameters<typeof confirmationOf>[0] = {}) =>
  mount(ConfirmationCard, {
    props: {
      confirmation: confirmationOf(change),
      before: '',
      host: 'ada-laptop',
      failure: undefined,
      decide,
    },
    global: { provide: { [clockKey]: clock } },
  });
type Card = ReturnType<typeof show>;

const buttons = (card: Card) => card.findAll<HTMLButtonElement>('button[data-decision]');
const awake = (card: Card) =>
  buttons(card)
    .filter(({ element }) => !element.disabled)
    .map((button) => button.attributes('data-decision'));
const all = ['allowOnce', 'denyOnce', 'allowForSession', 'alwaysAllow', 'alwaysDeny'];
const pass = async (ms: number) => {
  clock.advance(ms);
  await nextTick();
  await nextTick();
};

it('wakes its buttons 500 ms after it appears, not before', async () => {
  const card = show();
  await pass(499);
  expect(awake(card)).toEqual([]);
  await pass(1);
  expect(awake(card)).toEqual(all);
});

it.each<[string, (card: Card) => Promise<void>]>([
  [
    'its text changes',
    (card) =>
      card.setProps({
        confirmation: confirmationOf({
          resources: [{ toolGroup: 'shell', resource: 'rm -rf ~', description: '' }],
        }),
      }),
  ],
  [
    'another question takes its place',
    (card) => card.setProps({ confirmation: confirmationOf({ id: 'c2' }) }),
  ],
  ['the card moves', (card) => card.setProps({ before: 'c0' })],
])('CF-12 sleeps anew when %s', async (_what, change) => {
  const card = show();
  await pass(500);
  await change(card);
  expect(awake(card)).toEqual([]);
  await pass(499);
  expect(awake(card)).toEqual([]);
  await pass(1);
  expect(awake(card)).toEqual(all);
});

it.each([
  [
    'the token',
    { kind: 'token', id: 't1', name: 'Notes \u202eagent' } as const,
    'by Notes \\u{202E}agent (access token)',
  ],
  ['the client', { kind: 'client', id: 'c1', name: 'Desk' } as const, 'by Desk (connected client)'],
])('CF-18 names %s that asks', (_, via, text) => {
  expect(show({ via }).find('header').text().replaceAll(/\s+/g, ' ')).toContain(text);
  expect(show().find('header').text()).not.toContain('by');
});

it('ignores clicks and keys while it sleeps', async () => {
  const card = show();
  await card.find('[data-decision=allowOnce]').trigger('click');
  await card.find('article').trigger('keydown', { key: '1' });
  expect(decide).not.toHaveBeenCalled();
});

it('CF-16 wakes only when a long text has been shown to its end', async () => {
  const card = show({ resources: [{ toolGroup: 'shell', resource: 'x'.repeat(100_000), description: '' }] });
  const reading = card.find('[data-test=reading]').element;
  Object.defineProperties(reading, {
    clientHeight: { value: 400 },
    scrollHeight: { value: 9_000, configurable: true },
  });
  await card.setProps({ before: 'measured' });
  await card.setProps({ confirmation: confirmationOf({ id: 'c3', resource: 'y', resources: [] }) });
  await pass(500);
  expect(awake(card)).toEqual([]);
  expect(card.text()).toContain('Read to the end to decide');

  reading.scrollTop = 4_000;
  await card.find('[data-test=reading]').trigger('scroll');
  expect(awake(card)).toEqual([]);

  reading.scrollTop = 8_600;
  await card.find('[data-test=reading]').trigger('scroll');
  expect(awake(card)).toEqual(all);
  expect(card.text()).not.toContain('Read to the end to decide');
});

it.each([
  [['allowOnce', 'denyOnce'] as const, ['allowOnce', 'denyOnce']],
  [['alwaysDeny', 'denyOnce'] as const, ['denyOnce', 'alwaysDeny']],
  [[] as const, []],
])('offers what the machine offers: %j', (options, expected) => {
  expect(
    buttons(show({ options: [...options] })).map((button) => button.attributes('data-decision')),
  ).toEqual(expected);
});

it.each(all)('CF-06 sends %s once, also on a second press', async (decision) => {
  let finish = () => {};
  decide.mockImplementationOnce(() => new Promise<void>((resolve) => (finish = resolve)));
  const card = show();
  await pass(500);
  await card.find(`[data-decision=${decision}]`).trigger('click');
  await card.find(`[data-decision=${decision}]`).trigger('click');
  expect(decide.mock.calls).toEqual([[{ decision }]]);
  finish();
});

it.each([
  ['1', 'allowOnce'],
  ['3', 'alwaysAllow'],
  ['5', 'alwaysDeny'],
])('takes the key %s for %s while it has the focus', async (key, decision) => {
  const card = show();
  await pass(500);
  await card.find('article').trigger('keydown', { key });
  expect(decide.mock.calls).toEqual([[{ decision }]]);
});

it.each([
  ['held down', { key: '1', repeat: true }],
  ['with Control', { key: '1', ctrlKey: true }],
  ['another key', { key: 'Enter' }],
  ['a number beyond the offered ones', { key: '6' }],
])('leaves keys alone: %s', async (_what, event) => {
  const card = show();
  await pass(500);
  await card.find('article').trigger('keydown', event);
  expect(decide).not.toHaveBeenCalled();
});

it('CF-16 CF-18 shows every resource in full, with what is hidden written out and a warning', () => {
  const card = show({
    resources: [
      { toolGroup: 'filesystemRead', resource: '/a', description: 'Read /a' },
      {
        toolGroup: 'shell',
        resource: `echo ok${' '.repeat(40)}; rm \u202e\u{e0041}~`,
        description: '<b>bold</b>',
      },
    ],
  });
  expect(card.findAll('[data-test=resource]').map((resource) => resource.text())).toEqual([
    '/a',
    'echo ok[40 spaces]; rm \\u{202E}\\u{E0041}~',
  ]);
  expect(card.findAll('[data-test=warning]').map((warning) => warning.text())).toEqual([
    'Contains characters that are not visible; they are written out here',
  ]);
  expect(card.text()).toContain('<b>bold</b>');
});

it.each([
  ['markup', '<img src=x onerror="decide()"><b>ok</b>&amp;'],
  ['Markdown', '**safe** [ok](http://evil) `x`'],
])('CF-20 %s in a resource, its description or a preview is text', (_what, text) => {
  const card = show({
    resources: [{ toolGroup: 'shell', resource: text, description: `Run ${text}` }],
    preview: { kind: 'diff', path: text, text: `@@ -1 +1 @@\n+${text}\n`, truncated: false },
  });
  expect(card.text().split(text)).toHaveLength(5);
  expect(card.findAll('img, b, strong, em, a')).toEqual([]);
});

it('shows a preview with numbered lines and says when it was cut', () => {
  const card = show({
    preview: {
      kind: 'diff',
      path: 'a.txt',
      text: '--- a\n+++ a\n@@ -4 +4 @@\n-old\n+new\n',
      truncated: true,
    },
  });
  expect(card.find('figure').text()).toBe(
    'a.txt+1−1⋯Line 44−removed: old4+added: new The preview was cut here. There is more than it shows.',
  );
});

it.each([
  ['a plain text', 'new', 0],
  ['a hidden character', 'n\u202eew', 1],
])('warns of what a preview with %s hides', (_what, line, warnings) => {
  const text = `--- a\n+++ a\n@@ -4 +4 @@\n-o\u200bld\n+${line}\n`;
  const card = show({ preview: { kind: 'diff', path: 'a.txt', text, truncated: false } });
  expect(card.findAll('figure [data-test=warning]').length).toBe(warnings);
});

describe('how far a lasting answer goes', () => {
  const lasting = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];
  const short = { decisions: ['allowForSession'], durationMs: 900_000 };
  const file = { scope: 'exact', label: 'write ~/notes/a.txt' };
  const folder = { scope: 'folder', label: 'write in ~/notes and below' };
  const reaches = [
    { id: 'exact', ...file, decisions: lasting },
    { id: 'exact-15-minutes', ...file, ...short },
    { id: 'folder', ...folder, decisions: lasting },
    { id: 'folder-15-minutes', ...folder, ...short },
  ];
  const pick = (card: Card, scope: string) => card.find(`input[value=${scope}]`).setValue();

  it('is told in the words of the machine, the narrowest picked', () => {
    const card = show({ reaches });
    expect(card.findAll('[data-test=reaches] label').map((label) => label.text())).toEqual([
      'write ~/notes/a.txt',
      'write in ~/notes and below',
    ]);
    expect(card.find<HTMLInputElement>('input:checked').element.value).toBe('exact');
  });

  it.each([
    ['exact', 'alwaysAllow', 'exact'],
    ['folder', 'alwaysAllow', 'folder'],
    ['folder', 'alwaysDeny', 'folder'],
    ['folder', 'allowForSession', 'folder'],
    ['folder', 'allowOnce', undefined],
    ['folder', 'denyOnce', undefined],
  ])('%s and %s', async (scope, decision, reach) => {
    const card = show({ reaches });
    await pick(card, scope);
    await pass(500);
    await card.find(`[data-decision=${decision}]`).trigger('click');
    expect(decide.mock.calls).toEqual([[{ decision, ...(reach && { reach }) }]]);
  });

  it.each(['exact', 'folder'])('15 minutes are one click away: %s', async (scope) => {
    const card = show({ reaches });
    await pick(card, scope);
    await card.find('[data-test=timed]').trigger('click');
    expect(decide).not.toHaveBeenCalled();
    await pass(500);
    await card.find('[data-test=timed]').trigger('click');
    expect(card.find('[data-test=timed]').text()).toBe('Allow for 15 minutes');
    expect(decide.mock.calls).toEqual([[{ decision: 'allowForSession', reach: `${scope}-15-minutes` }]]);
  });

  it('CF-12 begins at the narrowest again, and sleeps, when the question changes', async () => {
    const card = show({ reaches });
    await pick(card, 'folder');
    await pass(500);
    await card.setProps({ confirmation: confirmationOf({ id: 'c2', reaches }) });
    expect(awake(card)).toEqual([]);
    await pass(500);
    await card.find('[data-decision=alwaysAllow]').trigger('click');
    expect(decide.mock.calls).toEqual([[{ decision: 'alwaysAllow', reach: 'exact' }]]);
  });

  it('CF-18 shows what hides in the words', () => {
    const hidden = { ...reaches[0], label: 'write a\u202eb' };
    expect(show({ reaches: [{ id: 'x', scope: 'x', decisions: lasting, ...hidden }] }).text()).toContain(
      'write a\\u{202E}b',
    );
  });

  it('a machine that offers none is asked as before', () => {
    const card = show();
    expect(card.find('[data-test=reaches]').exists()).toBe(false);
    expect(card.find('[data-test=timed]').exists()).toBe(false);
    expect(card.text()).toContain('cover exactly what is listed above');
  });
});
