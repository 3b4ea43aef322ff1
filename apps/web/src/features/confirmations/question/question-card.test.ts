import { createFakeClock } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import { onClock } from '../../../../test/mounting.ts';
import { confirmationOf } from '../../../../test/worlds.ts';
import QuestionCard from './question-card.vue';

const clock = createFakeClock();
const decide = vi.fn(async () => {});
beforeEach(() => decide.mockClear());

const show = (change: Parameters<typeof confirmationOf>[0] = {}, attachTo?: HTMLElement) =>
  mount(QuestionCard, {
    ...(attachTo && { attachTo }),
    props: {
      confirmation: confirmationOf(change),
      before: '',
      host: 'ada-laptop',
      failure: undefined,
      decide,
    },
    global: onClock(clock),
  });
type Card = ReturnType<typeof show>;

const buttons = (card: Card) => card.findAll<HTMLButtonElement>('button[data-decision]');
const openMore = (card: Card) => card.find('[data-test=more]').trigger('click');
const awake = (card: Card) =>
  buttons(card)
    .filter(({ element }) => !element.disabled)
    .map((button) => button.attributes('data-decision'));
const quick = ['allowOnce', 'denyOnce'];
const all = [...quick, 'allowForSession', 'alwaysAllow', 'alwaysDeny'];
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
  expect(awake(card)).toEqual(quick);
  await openMore(card);
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
  expect(awake(card)).toEqual(quick);
});

it.each([
  [
    'the token',
    { kind: 'token', id: 't1', name: 'Notes \u202eagent' } as const,
    'Notes \\u{202e}agent · ada-laptop',
  ],
  ['the client', { kind: 'client', id: 'c1', name: 'Desk' } as const, 'Desk · ada-laptop'],
  ['the person', undefined, 'You asked for this in the panel · ada-laptop'],
])('CF-18 names %s that asks, the machine, since when and until when', (_, via, text) => {
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const card = show({ ...(via && { via }), createdAt: at(-125_000), expiresAt: at(23.5 * 3_600_000) });
  expect(card.find('[data-test=asked]').text().replaceAll(/\s+/g, ' ')).toBe(
    `${text} · 2 min ago · expires in 24 h`,
  );
});

it.each([
  ['Change src/\u202eserver.ts?', 'Change src/\\u{202e}server.ts?'],
  [null, 'Change a.txt?'],
])('CF-18 is titled by what would be done: %j', (title, text) => {
  expect(show({ title }).find('h2').text()).toBe(text);
});

it('denies with a reason, which an approval leaves out', async () => {
  const card = show();
  await pass(500);
  await card.find('article').trigger('keydown', { key: 'r' });
  await card.find('[data-test=reason]').setValue('  Keep the licence  ');
  await card.find('[data-decision=allowOnce]').trigger('click');
  await card.find('[data-test=reason]').trigger('keydown', { key: 'Enter' });
  expect(decide.mock.calls).toEqual([
    [{ decision: 'allowOnce' }],
    [{ decision: 'denyOnce', reason: 'Keep the licence' }],
  ]);
});

it('ignores clicks and keys while it sleeps', async () => {
  const card = show();
  await card.find('[data-decision=allowOnce]').trigger('click');
  for (const key of ['a', 'd']) await card.find('article').trigger('keydown', { key });
  expect(decide).not.toHaveBeenCalled();
});

it('CF-16 allows only when a long text has been shown to its end, and denies at any time', async () => {
  const card = show({ resources: [{ toolGroup: 'shell', resource: 'x'.repeat(100_000), description: '' }] });
  const reading = card.find('[data-test=reading]').element;
  Object.defineProperties(reading, {
    clientHeight: { value: 400 },
    scrollHeight: { value: 9_000, configurable: true },
  });
  await card.setProps({ before: 'measured' });
  await card.setProps({ confirmation: confirmationOf({ id: 'c3', resource: 'y', resources: [] }) });
  await pass(500);
  await openMore(card);
  expect(awake(card)).toEqual(['denyOnce', 'alwaysDeny']);
  expect(card.text()).toContain('Scroll to the end to allow');
  await card.find('article').trigger('keydown', { key: 'a' });
  expect(decide).not.toHaveBeenCalled();

  reading.scrollTop = 4_000;
  await card.find('[data-test=reading]').trigger('scroll');
  expect(awake(card)).toEqual(['denyOnce', 'alwaysDeny']);

  reading.scrollTop = 8_600;
  await card.find('[data-test=reading]').trigger('scroll');
  expect(awake(card)).toEqual(all);
  expect(card.text()).not.toContain('Scroll to the end to allow');
});

it.each([
  [['allowOnce', 'denyOnce'] as const, ['allowOnce', 'denyOnce']],
  [['alwaysDeny', 'denyOnce'] as const, ['denyOnce', 'alwaysDeny']],
  [[] as const, []],
])('offers what the machine offers: %j', async (options, expected) => {
  const card = show({ options: [...options] });
  if (card.find('[data-test=more]').exists()) await openMore(card);
  expect(buttons(card).map((button) => button.attributes('data-decision'))).toEqual(expected);
});

it.each(all)('CF-06 sends %s once, also on a second press', async (decision) => {
  let finish = () => {};
  decide.mockImplementationOnce(() => new Promise<void>((resolve) => (finish = resolve)));
  const card = show();
  await pass(500);
  await openMore(card);
  await card.find(`[data-decision=${decision}]`).trigger('click');
  await card.find(`[data-decision=${decision}]`).trigger('click');
  expect(decide.mock.calls).toEqual([[{ decision }]]);
  finish();
});

it.each([
  ['a', 'allowOnce'],
  ['d', 'denyOnce'],
])('takes the key %s for %s, and shows it on the button', async (key, decision) => {
  const card = show();
  await pass(500);
  expect(card.find(`[data-decision=${decision}] kbd`).text()).toBe(key);
  await card.find('article').trigger('keydown', { key });
  expect(decide.mock.calls).toEqual([[{ decision }]]);
});

it('CF-29 before a deletion, the key a only moves to the button', async () => {
  const card = show({ tool: 'delete' }, document.body);
  await pass(500);
  await card.find('article').trigger('keydown', { key: 'a' });
  expect(decide).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(card.find('[data-decision=allowOnce]').element);
  card.unmount();
});

it.each([
  ...['1', '2', '3', '4', '5', 'A', 'Enter'].map((key): [string, object] => [key, { key }]),
  ['held down', { key: 'a', repeat: true }],
  ['with Control', { key: 'a', ctrlKey: true }],
])('leaves other keys alone: %s', async (_what, event) => {
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
    'echo ok[40 spaces]; rm \\u{202e}\\u{e0041}~',
  ]);
  expect(card.findAll('[data-test=warning]').map((warning) => warning.text())).toEqual([
    'Contains invisible characters; they are written out here',
  ]);
  expect(card.text()).toContain('<b>bold</b>');
});

it('DR-01 DR-02 keeps right-to-left words where they stand, counts marks, and says so', () => {
  const resource = `rm \u05d0 \u05d1 a${'\u0301'.repeat(300)}`;
  const card = show({ resources: [{ toolGroup: 'shell', resource, description: resource }] });
  expect(card.findAll('[data-test=resource] bdi[dir=rtl]').map((word) => word.text())).toEqual([
    '\u05d0',
    '\u05d1',
  ]);
  expect(card.find('[data-test=resource]').text()).toMatch(/a\u0301{3}\[297 combining marks\]$/);
  expect(card.findAll('[data-test=warning]').map((warning) => warning.text())).toEqual([
    'Contains right-to-left letters; the words are shown in their logical order',
    'Contains letters with too many marks above or below; the marks are counted here',
  ]);
});

it.each([
  ['markup', '<img src=x onerror="decide()"><b>ok</b>&amp;'],
  ['Markdown', '**safe** [ok](http://evil) `x`'],
])('CF-20 %s in a title, a resource, its description or a preview is text', (_what, text) => {
  const card = show({
    resources: [{ toolGroup: 'shell', resource: text, description: `Run ${text}` }],
    preview: { kind: 'text', of: 'content', path: text, text: `${text}\n` },
  });
  expect(card.text().split(text)).toHaveLength(5);
  expect(card.findAll('img, b, strong, em, a')).toEqual([]);
});

describe('how far a lasting answer goes', () => {
  const lasting = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];
  const short = { decisions: ['allowForSession'], durationMs: 900_000 };
  const file = { scope: 'exact', label: 'change or delete ~/notes/a.txt' };
  const folder = { scope: 'folder', label: 'change or delete files in ~/notes and below' };
  const reaches = [
    { id: 'exact', ...file, decisions: lasting },
    { id: 'exact-15-minutes', ...file, ...short },
    { id: 'folder', ...folder, decisions: lasting },
    { id: 'folder-15-minutes', ...folder, ...short },
  ];
  it('is told in the words of the machine, the narrowest and shortest first', async () => {
    const card = show({ reaches });
    expect(card.find('[data-test=lasting]').exists()).toBe(false);
    await openMore(card);
    expect(card.findAll('[data-scope]').map((label) => label.text())).toEqual([
      'Allow all agents to change or delete ~/notes/a.txt',
      'Allow all agents to change or delete files in ~/notes and below',
    ]);
    expect(
      card
        .findAll('[data-test=lasting] button')
        .map((button) => button.attributes('aria-label') ?? button.text().replaceAll(/\s+/g, ' ')),
    ).toEqual([
      'change or delete ~/notes/a.txt, for 15 minutes',
      'change or delete ~/notes/a.txt, for this session',
      'change or delete ~/notes/a.txt, always',
      'change or delete files in ~/notes and below, for 15 minutes',
      'change or delete files in ~/notes and below, for this session',
      'change or delete files in ~/notes and below, always',
      'Never allow this: change or delete ~/notes/a.txt',
      'Never allow this: change or delete files in ~/notes and below',
    ]);
  });

  it.each([
    ['alwaysAllow', 'exact'],
    ['alwaysAllow', 'folder'],
    ['alwaysDeny', 'folder'],
    ['allowForSession', 'folder'],
    ['allowForSession', 'exact-15-minutes'],
  ])('%s and %s', async (decision, reach) => {
    const card = show({ reaches });
    await openMore(card);
    const button = () => card.find(`[data-decision=${decision}][data-reach=${reach}]`);
    await button().trigger('click');
    expect(decide).not.toHaveBeenCalled();
    await pass(500);
    await button().trigger('click');
    expect(decide.mock.calls).toEqual([[{ decision, reach }]]);
  });

  it('CF-12 the menu closes, and what it offers sleeps, when the question changes', async () => {
    const card = show({ reaches });
    await pass(500);
    await openMore(card);
    await card.setProps({ confirmation: confirmationOf({ id: 'c2', reaches }) });
    expect(card.find('[data-test=lasting]').exists()).toBe(false);
    expect(awake(card)).toEqual([]);
  });

  it('CF-18 shows what hides in the words', async () => {
    const hidden = { ...reaches[0], label: 'write a\u202eb' };
    const card = show({ reaches: [{ id: 'x', scope: 'x', decisions: lasting, ...hidden }] });
    await openMore(card);
    expect(card.text()).toContain('write a\\u{202e}b');
  });

  it('of a machine that offers no reach, it covers exactly what the question lists', async () => {
    const card = show();
    await openMore(card);
    expect(card.find('[data-test=lasting]').text()).toContain('exactly what is listed above');
    await pass(500);
    await card.find('[data-decision=alwaysAllow]').trigger('click');
    expect(decide.mock.calls).toEqual([[{ decision: 'alwaysAllow' }]]);
  });
});
