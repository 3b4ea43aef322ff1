import type { Hunk, Preview } from '@drawbridge/contracts/preview';
import { createFakeClock, piecesOf } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onClock } from '../../../../test/mounting.ts';
import { confirmationOf } from '../../../../test/worlds.ts';
import QuestionCard from '../question/question-card.vue';

const clock = createFakeClock();
const show = (change: Parameters<typeof confirmationOf>[0]) =>
  mount(QuestionCard, {
    props: {
      confirmation: confirmationOf(change),
      before: '',
      host: null,
      failure: undefined,
      decide: async () => {},
    },
    global: onClock(clock),
  });
type Card = ReturnType<typeof show>;

const diffOf = (lines: Hunk['lines'], from = 1): Preview => ({
  kind: 'diff',
  path: 'a.txt',
  hunks: [{ oldStart: from, newStart: from, lines }],
  added: lines.filter(({ kind }) => kind === 'added').length,
  removed: lines.filter(({ kind }) => kind === 'removed').length,
});
const rowsOf = (card: Card) =>
  card.findAll('figure [data-row]').map((row) => [
    row.attributes('data-row'),
    ...row
      .findAll(':scope > span')
      .map((cell) => cell.text())
      .filter(Boolean),
  ]);

it('shows a change with numbered lines, and what is left out where it is left out', () => {
  const card = show({
    preview: diffOf(
      [
        { kind: 'removed', text: 'old', lastWithoutLineFeed: true },
        { kind: 'added', text: 'new', omittedBytes: 70_000 },
        { kind: 'omitted', of: 'added', lines: 1_200, bytes: 30_000 },
      ],
      4,
    ),
  });
  expect(rowsOf(card)).toEqual([
    ['gap', '⋯', '3 unchanged lines'],
    ['removed', '4', '−', 'removed: old'],
    ['note', 'No line feed at the end'],
    ['added', '4', '+', 'added: new'],
    ['omitted', '!', 'The rest of this line (70,000 bytes) is not shown'],
    ['omitted', '!', '1,200 new lines (30,000 bytes) are not shown'],
  ]);
  expect(card.find('[data-test=left-out]').text()).toBe(
    'Not shown: 100,000 bytes of the new text, 1,200 whole lines',
  );
  expect(card.find('[data-decision=allowOnce]').text()).toContain('Allow anyway');
});

it('CF-15 hides no line that looks like the head of a patch, and counts each', () => {
  const lines = ['--- a/x', '+++ b/x', '@@ -1 +1 @@', 'diff --git', 'index 1', '\\ No newline', ''];
  const card = show({ preview: diffOf(lines.map((text) => ({ kind: 'added', text }))) });
  expect(rowsOf(card).map((row) => row.at(-1))).toEqual(lines.map((text) => `added: ${text}`.trim()));
  expect(card.find('figcaption').text()).toContain('+7');
});

it('CF-15 takes the text of an older machine for a text, without guessing what its lines are', () => {
  const text = '--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n';
  const card = show({ preview: { kind: 'text', of: 'unknown', path: 'a.txt', text, omitted: 'unknown' } });
  expect(rowsOf(card)).toEqual([
    ...['--- a', '+++ a', '@@ -1 +1 @@', '-old', '+new'].map((line) => ['same', line]),
    ['omitted', '!', 'The rest is not shown; the machine did not report its size'],
  ]);
  expect(card.find('figcaption').text()).not.toContain('+');
});

it('CF-15 every line of any new text is in the card', async () => {
  const card = show({});
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1 }),
      async (texts) => {
        const lines = texts.map((text) => text.replaceAll('\n', ''));
        const preview = diffOf(lines.map((text) => ({ kind: 'added', text })));
        await card.setProps({ confirmation: confirmationOf({ preview }) });
        const drawn = card
          .findAll('figure [data-row=added] > span:last-child > span:last-child')
          .map(({ element }) => element.textContent);
        expect(drawn).toEqual(
          lines.map((text) =>
            piecesOf(text)
              .map((piece) => piece.text)
              .join(''),
          ),
        );
      },
    ),
    { numRuns: 30 },
  );
  card.unmount();
});

it.each([
  ['a plain text', 'new', 0],
  ['a hidden character', 'n\u202eew', 1],
  ['right-to-left letters', 'n\u05d0', 1],
])('warns of what a preview with %s hides', (_what, text, warnings) => {
  const card = show({
    preview: diffOf([
      { kind: 'removed', text: 'o\u200bld' },
      { kind: 'added', text },
    ]),
  });
  expect(card.findAll('figure [data-test=warning]').length).toBe(warnings);
});

it('folds what two long lines have in common, and opens it in place', async () => {
  const [before, after] = ['red', 'blue'].map((name) => `a{color:${name};${'x'.repeat(2_000)}}`);
  const card = show({
    preview: diffOf([
      { kind: 'removed', text: before ?? '' },
      { kind: 'added', text: after ?? '' },
    ]),
  });
  const added = () => card.find('[data-row=added]');
  await expect.poll(() => added().find('[data-test=fold]').exists()).toBe(true);
  expect(added().text()).toContain('… 1,882 equal characters …');
  expect(added().text()).not.toContain(after);
  await added().find('[data-test=fold]').trigger('click');
  expect(added().text()).toContain(after);
});

it('N18 opens unchanged lines in place, and folds them again', async () => {
  const same = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => ({ kind: 'same' as const, text: `line ${from + at}` }));
  const card = show({
    preview: {
      ...diffOf([...same(10, 18), { kind: 'added', text: 'new' }], 10),
      lines: 19,
    } as Preview,
  });
  const folded = ['gap', '⋯', 'Show 15 unchanged lines'];
  const near = [16, 17, 18].map((at) => ['same', String(at), `line ${at}`]);
  const rows = [...near, ['added', '19', '+', 'added: new']];
  expect(rowsOf(card)).toEqual([folded, ...rows]);
  const gap = card.find('[data-test=gap]');
  expect(gap.attributes('aria-expanded')).toBe('false');
  await gap.trigger('click');
  expect(rowsOf(card)).toEqual([
    ['gap', '⋯', 'Hide 15 unchanged lines'],
    ['gap', '⋯', '9 unchanged lines'],
    ...[10, 11, 12, 13, 14, 15].map((at) => ['same', String(at), `line ${at}`]),
    ...rows,
  ]);
  await card.find('[data-test=gap][aria-expanded=true]').trigger('click');
  expect(rowsOf(card)).toEqual([folded, ...rows]);
});

it('CF-18 warns of a word of two scripts in a file, and not of joined emoji', () => {
  const warnings = (text: string) =>
    show({ preview: diffOf([{ kind: 'added', text }]) })
      .findAll('[data-test=warning]')
      .map((one) => one.text());
  expect(warnings('p\u0430ypal')).toEqual(['A word mixes letters of different scripts']);
  expect(warnings('\u{1f468}\u200d\u{1f469}\u200d\u{1f467} caf\u00e9\u00a0\u00bb')).toEqual([]);
});

it('a deleted folder lists its files and counts them, under one name', () => {
  const resource = '/home/ada/old/';
  const card = show({
    tool: 'delete',
    toolGroup: 'filesystemWrite',
    title: 'Delete the folder old (3 files)?',
    resource,
    resources: [
      { toolGroup: 'filesystemWrite', resource, description: `Delete folder and all in it: ${resource}` },
    ],
    preview: {
      kind: 'diff',
      path: 'old',
      hunks: [{ lines: ['a', 'b', 'c'].map((text) => ({ kind: 'removed', text })) }],
      added: 0,
      removed: 3,
    },
  });
  expect(card.find('[data-test=files]').text()).toBe('3 files');
  expect(card.findAll('[data-test=resource]').map((one) => one.text())).toEqual(['/home/ada/old']);
});

it('says an action once: not below its title too', () => {
  const resource = 'https://docs.example.org/';
  const description = `Open ${resource} in the browser`;
  const of = (title: string) =>
    show({
      tool: 'browser_navigate',
      toolGroup: 'browser',
      title,
      resources: [{ toolGroup: 'browser', resource, description }],
    });
  expect(of(`Open “${resource}” in the browser?`).find('[data-test=reading]').text()).not.toContain(
    'in the browser',
  );
  expect(of('Open a page?').find('[data-test=reading]').text()).toContain(`${description}.`);
});
