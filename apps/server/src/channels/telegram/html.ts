import MarkdownIt from 'markdown-it';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

const parser = new MarkdownIt({ html: false, linkify: false }).disable(['image', 'reference']);
// Other addresses, such as `tg://`, act in the person's app.
parser.validateLink = (url) => /^https?:\/\//i.test(url);
const { rules } = parser.renderer;
const { escapeHtml } = parser.utils;

type Rule = (tokens: Token[], at: number) => string;

const codeBlock: Rule = (tokens, at) => {
  const { content = '', info = '' } = tokens[at] ?? {};
  const code = escapeHtml(content.replace(/\n$/, ''));
  const language = /^[\w+#.-]{1,30}/.exec(info)?.[0];
  const inside =
    language === undefined ? code : `<code class="language-${escapeHtml(language)}">${code}</code>`;
  return `<pre>${inside}</pre>\n\n`;
};

/** A list inside of a list is two levels deeper. */
const listItem: Rule = (tokens, at) => {
  const { level = 1, info = '' } = tokens[at] ?? {};
  return `${'  '.repeat(Math.max(0, (level - 1) / 2))}${info === '' ? '•' : `${info}.`} `;
};

const endOfList: Rule = (tokens, at) => (tokens[at]?.level === 0 ? '\n' : '');

/** How many quotes are open before a token. Telegram has no quote inside of a quote. */
const quotesBefore: (...args: Parameters<Rule>) => number = (tokens, at) =>
  tokens
    .slice(0, at)
    .reduce(
      (open, { type }) => open + Number(type === 'blockquote_open') - Number(type === 'blockquote_close'),
      0,
    );

Object.assign(rules, {
  paragraph_open: () => '',
  paragraph_close: (tokens, at) => (tokens[at]?.hidden === true ? '\n' : '\n\n'),
  heading_open: () => '<b>',
  heading_close: () => '</b>\n\n',
  bullet_list_open: () => '',
  bullet_list_close: endOfList,
  ordered_list_open: () => '',
  ordered_list_close: endOfList,
  list_item_open: listItem,
  list_item_close: () => '',
  blockquote_open: (tokens, at) => (quotesBefore(tokens, at) === 0 ? '<blockquote>' : ''),
  blockquote_close: (tokens, at) => (quotesBefore(tokens, at) === 1 ? '</blockquote>\n\n' : ''),
  fence: codeBlock,
  code_block: codeBlock,
  hr: () => '———\n\n',
  hardbreak: () => '\n',
} satisfies Record<string, Rule>);

/** Tables as their lines of code: Telegram has none. */
const withoutTables = (tokens: Token[], lines: readonly string[]): Token[] => {
  let isInTable = false;
  return tokens.flatMap((token) => {
    if (token.type === 'table_close') isInTable = false;
    if (isInTable || token.type === 'table_close') return [];
    if (token.type !== 'table_open') return [token];
    isInTable = true;
    const [code] = parser.parse('```\n```', {});
    if (!code) return [];
    code.content = lines.slice(...(token.map ?? [0, 0])).join('\n');
    return [code];
  });
};

/** A part of markdown with Telegram's tags; every other sign of HTML is escaped. */
export const toTelegramHtml = (markdown: string): string => {
  const tokens = withoutTables(parser.parse(markdown, {}), markdown.split('\n'));
  return parser.renderer
    .render(tokens, parser.options)
    .replace(/\s+<\/blockquote>/g, '</blockquote>')
    .trim();
};
