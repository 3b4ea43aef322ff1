import { mount } from '@vue/test-utils';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import MarkdownView from './markdown-view.vue';
import { maxNodes, parse } from './parse.ts';

const show = (text: string) => mount(MarkdownView, { props: { text } });

it('shows headings, lists, tables, code and links', () => {
  const view = show(
    '# Head\n\n1. one\n2. **two**\n\n| a | b |\n|---|---|\n| 1 | `x` |\n\n```js\n<b>1</b>\n```\n\n[docs](https://example.org/a?b=c)',
  );
  const tags = ['h3', 'ol > li', 'strong', 'th', 'td code', 'pre code', 'a'];
  expect(tags.map((tag) => view.findAll(tag).length)).toEqual([1, 2, 1, 2, 1, 1, 1]);
  expect(view.get('pre code').text()).toBe('<b>1</b>');
  expect(view.get('a').attributes()).toMatchObject({
    href: 'https://example.org/a?b=c',
    title: 'https://example.org/a?b=c',
    rel: 'noopener noreferrer',
  });
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
