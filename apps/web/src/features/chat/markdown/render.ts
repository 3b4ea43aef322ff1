import { visible } from '@drawbridge/kit';
import { h, isVNode, Text, type VNode } from 'vue';
import CodeBlock from './code-block.vue';
import type { Block } from './parse.ts';
import { proseNodes } from './prose-text.ts';
import ScrollBox from './scroll-box.vue';

type Token = Block[number];

/** The elements that a text may become; every other token shows its text. */
const elements: Record<string, { tag: string; class: string }> = {
  paragraph: { tag: 'p', class: 'my-3 first:mt-0 last:mb-0 leading-relaxed' },
  heading: { tag: 'h4', class: 'mt-5 mb-2 first:mt-0 font-semibold text-highlighted' },
  bullet_list: { tag: 'ul', class: 'my-3 list-disc space-y-1 pl-5 marker:text-muted' },
  ordered_list: { tag: 'ol', class: 'my-3 list-decimal space-y-1 pl-6 marker:text-muted' },
  list_item: { tag: 'li', class: '[&>p]:my-1 has-[>[data-task]]:-ml-5 has-[>[data-task]]:list-none' },
  blockquote: { tag: 'blockquote', class: 'my-3 border-l-2 border-accented pl-4 text-toned' },
  table: { tag: 'table', class: 'w-full text-sm [overflow-wrap:normal]' },
  thead: { tag: 'thead', class: 'bg-elevated text-left' },
  tbody: { tag: 'tbody', class: 'divide-y divide-default' },
  tr: { tag: 'tr', class: '' },
  th: { tag: 'th', class: 'border-b border-default px-3 py-2 font-semibold text-highlighted' },
  td: { tag: 'td', class: 'px-3 py-2 align-top' },
  em: { tag: 'em', class: '' },
  strong: { tag: 'strong', class: 'font-semibold text-highlighted' },
  s: { tag: 's', class: '' },
};

/** Of the cells of a column, as the parser says it. */
const alignments: Record<string, string> = {
  'text-align:left': 'text-left',
  'text-align:center': 'text-center',
  'text-align:right': 'text-right',
};

/** Below the page's h1, without a level left out where an answer begins with its second. */
const headings: Record<string, { tag: string; class: string }> = {
  h1: { tag: 'h2', class: 'text-lg' },
  h2: { tag: 'h2', class: 'text-base' },
  h3: { tag: 'h3', class: 'text-[0.9375rem]' },
};

const linkOf = (token: Token, children: VNode[]): VNode => {
  const href = String(token.attrGet('href') ?? '');
  return h(
    'a',
    {
      href,
      title: visible(href),
      target: '_blank',
      rel: 'noopener noreferrer',
      class: 'text-primary underline',
    },
    children,
  );
};

/** Cells with a longer text have several lines; a table that is too wide scrolls in itself. */
const maxUnbroken = 24;

const textLength = (nodes: readonly VNode[]): number =>
  nodes.reduce((length, { children }) => {
    if (typeof children === 'string') return length + children.length;
    return Array.isArray(children) ? length + textLength(children.filter(isVNode)) : length;
  }, 0);

const elementOf = (token: Token, children: VNode[]): VNode => {
  const name = token.type.replace(/_open$/, '');
  if (name === 'link') return linkOf(token, children);
  const element = elements[name];
  if (element === undefined) return h('span', children);
  const heading = name === 'heading' ? headings[token.tag] : undefined;
  const tag = heading?.tag ?? element.tag;
  const start = name === 'ordered_list' ? token.attrGet('start') : null;
  const align = alignments[String(token.attrGet('style') ?? '')] ?? '';
  const isShort = textLength(children) <= maxUnbroken;
  const cell = ['th', 'td'].includes(name) && (isShort ? 'whitespace-nowrap' : 'min-w-44');
  const classes = [element.class, heading?.class, align, cell].filter(Boolean).join(' ') || undefined;
  const node = h(tag, { class: classes, ...(start !== null && { start }) }, children);
  if (name !== 'table') return node;
  const box = 'my-3 overflow-hidden rounded-lg border border-default';
  return h(ScrollBox, { label: 'Table', class: box }, () => [node]);
};

/** The first word beside the fence names the language. */
const codeOf = (token: Token): VNode =>
  h(CodeBlock, { code: token.content, language: (token.info.trim().split(/\s/)[0] ?? '').toLowerCase() });

const leafOf = (token: Token): VNode[] => {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'softbreak':
      return [h(Text, '\n')];
    case 'hardbreak':
      return [h('br')];
    case 'hr':
      return [h('hr', { class: 'my-4 border-default' })];
    case 'fence':
    case 'code_block':
      return [codeOf(token)];
    case 'code_inline':
      return [
        h(
          'code',
          { class: 'rounded bg-elevated px-1 py-0.5 font-mono text-[0.875em]' },
          proseNodes(token.content),
        ),
      ];
    default:
      return proseNodes(token.content);
  }
};

const taskSign = /^\[([ xX])\] /;

/** A box in the place of `[ ]` or `[x]`, at the beginning of an item of a list. */
const taskNodes = (nodes: VNode[]): VNode[] => {
  const [first, ...others] = nodes;
  const text = first?.type === Text ? String(first.children) : '';
  const [sign = '', mark] = taskSign.exec(text) ?? [];
  if (mark === undefined) return nodes;
  const isDone = mark !== ' ';
  const box = { 'data-task': '', class: 'mr-1.5', role: 'img', 'aria-label': isDone ? 'Done' : 'To do' };
  return [h('span', box, isDone ? '☑' : '☐'), h(Text, text.slice(sign.length)), ...others];
};

/** Vue nodes of tokens: texts and the elements above, no HTML text and nothing that loads by being shown. */
export const nodesOf = (tokens: readonly Token[]): VNode[] => {
  const root: VNode[] = [];
  const open: { token: Token; children: VNode[] }[] = [];
  const add = (...nodes: VNode[]) => (open.at(-1)?.children ?? root).push(...nodes);
  for (const token of tokens) {
    // A paragraph of a tight list has no element of its own.
    if (token.hidden) continue;
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0) {
      const within = open.at(-1);
      const isItem = within?.token.type === 'list_item_open' && within.children.length === 0;
      add(...(isItem ? taskNodes(leafOf(token)) : leafOf(token)));
    } else {
      const done = open.pop();
      if (done) add(elementOf(done.token, done.children));
    }
  }
  return root;
};
