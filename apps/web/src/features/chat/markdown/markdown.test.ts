import { createFakeClock } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { clockKey } from '../../../api/index.ts';
import MarkdownView from './markdown-view.vue';
import { maxNodes, parse } from './parse.ts';

const global = { provide: { [clockKey]: createFakeClock() } };
const show = (text: string) => mount(MarkdownView, { props: { text }, global });

it('shows headings, lists, tables, code and links', () => {
  const view = show(
    '# Head\n\n1. one\n2. **two**\n\n| a | b |\n|---|---|\n| 1 | `x` |\n\n```js\n<b>1</b>\n```\n\n[docs](https://example.org/a?b=c)',
  );
  const tags = ['h2', 'ol > li', 'strong', 'th', 'td code', 'pre code', 'a'];
  expect(tags.map((tag) => view.findAll(tag).length)).toEqual([1, 2, 1, 2, 1, 1, 1]);
  expect(view.get('pre code').text()).toBe('<b>1</b>');
  expect(view.get('a').attributes()).toMatchObject({
    href: 'https://example.org/a?b=c',
    title: 'https://example.org/a?b=c',
    rel: 'noopener noreferrer',
  });
});

it('aligns the columns of a table as they were written', () => {
  const view = show('| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |');
  const classes = ['text-left', 'text-center', 'text-right'];
  for (const cells of [view.findAll('th'), view.findAll('td')])
    expect(cells.map((cell, at) => cell.classes().includes(classes[at] ?? ''))).toEqual([true, true, true]);
});

it('a table scrolls in itself: short cells stay on one line, long ones keep some width', () => {
  const view = show(`| Name | Reason |\n|---|---|\n| \`2026-01-02\` | ${'a word '.repeat(5)}|`);
  const cells = view.findAll('td').map((cell) => cell.classes());
  expect(cells.map((all) => [all.includes('whitespace-nowrap'), all.includes('min-w-44')])).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(view.get('[role=group]').classes()).toContain('overflow-x-auto');
});

it('shows a box for each task of a list, and only there', () => {
  const view = show('- [x] done\n- [ ] to do\n- [y] other\n\n[x] no list');
  const boxes = view.findAll('[data-task]');
  expect(boxes.map((box) => box.attributes('aria-label'))).toEqual(['Done', 'To do']);
  const items = view.findAll('li').map((item) => item.text());
  expect([...items, view.get('p').text()]).toEqual(['☑done', '☐to do', '[y] other', '[x] no list']);
});

it('copies code as it is shown, with its hidden characters written out', async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const view = show('```sh\nrm \u202e-rf x\n```');
  await view.get('button').trigger('click');
  vi.unstubAllGlobals();
  expect(writeText).toHaveBeenCalledExactlyOnceWith('rm \\u{202e}-rf x\n');
  expect(view.get('pre').text()).toBe('rm \\u{202e}-rf x');
  expect(view.get('[data-test=language]').text()).toBe('sh');
});

it.each([
  ['a script', '<script>alert(1)</script>'],
  ['an element with a handler', '<img src=x onerror=alert(1)>'],
  ['inline HTML', 'a <iframe src="http://example.org"></iframe> b'],
  ['an image', '![x](http://example.org/x.png)'],
  ['an image by reference', '![x][1]\n\n[1]: http://example.org/x.png'],
  ['a script as a link', '[x](javascript:alert(1))'],
  ['a script behind an entity', '[x](java&#115;cript:alert(1))'],
  ['a script in angle brackets', '<javascript:alert(1)>'],
  ['data as a link', '[x](data:text/html,<script>alert(1)</script>)'],
  ['a file as a link', '[x](file:///etc/passwd)'],
  ['a path of the panel', '[x](/settings)'],
  ['a style', '<style>*{display:none}</style>'],
])('loads and runs nothing: %s', (_what, text) => {
  const view = show(text);
  expect(view.findAll('script, img, iframe, style, object, svg')).toEqual([]);
  for (const link of view.findAll('a')) expect(link.attributes('href')).toMatch(/^https?:\/\//);
  expect(view.html()).not.toMatch(/<[^>]+ on\w+=/);
});

it('shows HTML as the text that it is', () => {
  expect(show('a <script>alert(1)</script> b').text()).toBe('a <script>alert(1)</script> b');
});

it('shows a text of too many nodes as plain text', () => {
  const cells = '| a '.repeat(maxNodes);
  const view = show(`${cells}|\n${'|---'.repeat(maxNodes)}|\n${cells}|`);
  expect(view.find('table').exists()).toBe(false);
  expect(view.text().length).toBeGreaterThan(maxNodes);
});

const pieces = fc.constantFrom(
  ...[
    'a',
    ' ',
    '\n',
    '\n\n',
    '# ',
    '- ',
    '1. ',
    '> ',
    '```',
    '\n```\n',
    '    x',
    '**',
    '`',
    '|a|b|',
    '\n|-|-|\n',
  ],
  ...['[x](http://a.b)', '---', '===', '\t', '<b>', '\\'],
);
it('parses a text that grows as if it were parsed whole', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      let text = '';
      let grown = parse('');
      for (const part of parts) {
        text += part;
        grown = parse(text, grown);
      }
      const shape = (blocks: typeof grown.blocks) =>
        blocks?.flat().map(({ type, content, markup }) => [type, content, markup]);
      expect(shape(grown.blocks)).toEqual(shape(parse(text).blocks));
    }),
    {
      numRuns: 300,
      examples: [[['\n|-|-|\n', '```', 'a', '```']], [['\n|-|-|\n', '|a|b|', '\n|-|-|\n', '---', 'a', 'a']]],
    },
  );
});

it('keeps the blocks that are done', () => {
  const first = parse('# One\n\nTwo\n\nThree');
  const next = parse('# One\n\nTwo\n\nThree and more', first);
  expect(next.blocks?.[0]).toBe(first.blocks?.[0]);
  expect(next.blocks?.[2]).not.toBe(first.blocks?.[2]);
});

const override = '\u202e';
const tags = [...'run'].map((char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0))).join('');

it.each([
  ['in a paragraph', `see http://x.example/${override}gpj.exe`, 'see http://x.example/\\u{202e}gpj.exe'],
  ['in a heading', `# a${override}b`, 'a\\u{202e}b'],
  ['in a code block', `\`\`\`\nrm\u200b -rf${override}\n\`\`\``, 'rm\\u{200b} -rf\\u{202e}'],
  ['in an indented code block', `    a\u2066b`, 'a\\u{2066}b'],
  ['in inline code', `\`a\u2060b\``, 'a\\u{2060}b'],
  ['in the text of a link', `[good${override}moc](https://example.org)`, 'good\\u{202e}moc'],
  ['in a table', `| a |\n|---|\n| b\u200dc |`, 'b\\u{200d}c'],
  ['in a list and a quote', `> - a\u00adb`, 'a\\xadb'],
  ['as an entity', 'a&#x202e;b', 'a\\u{202e}b'],
  ['tag characters', `hello${tags}`, 'hello\\u{e0072}\\u{e0075}\\u{e006e}'],
  ['variation selectors', 'a\u{e0101}', 'a\\u{e0101}'],
  ['joiners outside of words', 'a\u200cb \u0645\u200c', 'a\\u{200c}b \u0645\\u{200c}'],
  ['several joiners in a word', '\u0645\u200c\u200c\u06cc', '\\u{200c}\\u{200c}'],
  ['tags behind a flag', `\u{1f3f4}${tags}`, '\\u{e0072}'],
  ['a filler and blanks', 'a\u3164b\u2800c', 'a\\u{3164}b\\u{2800}c'],
])('NE-03: writes out hidden characters: %s', (_what, text, expected) => {
  const view = show(text);
  expect(view.text()).toContain(expected);
  expect(view.text()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u2060\u200b\u{e0000}-\u{e01ff}]/u);
  expect(view.findAll('mark').length).toBeGreaterThan(0);
});

it('NE-03: a text of too many nodes, and the address of a link', () => {
  const view = show(`${'| a '.repeat(maxNodes)}|\n${'|---'.repeat(maxNodes)}|\n${override}`);
  expect(view.text()).not.toContain(override);
  expect(show(`[a](https://example.org/${override}x)`).get('a').attributes('title')).not.toContain(override);
});

it.each([
  [
    'emoji that are joined',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f9d1}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f\u200d\u{1f525}',
  ],
  [
    'a keycap and flags',
    '1\ufe0f\u20e3 \u{1f1e9}\u{1f1ea} \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ],
  ['Persian with its joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['Arabic and Hebrew', '\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd 12'],
  ['Sinhala', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
  ['spaces of other languages', '50\u00a0% \u202f\u00bb \u3042\u3000\u3044'],
])('shows as it is: %s', (_what, text) => {
  const view = show(text);
  expect(view.text()).toBe(text.trim());
  expect(view.findAll('mark, bdi')).toEqual([]);
  expect(show(`\`\`\`\n${text}\n\`\`\``).findAll('mark')).toEqual([]);
});
