import MarkdownIt from 'markdown-it';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];
type Rule = (tokens: Token[], at: number) => string;
type Pair = readonly [open: string, close: string];

/** How a platform marks what markdown says. A pair is what stands before and after. */
export interface Markup {
  escape(text: string): string;
  /** Of code. */
  escapeCode(text: string): string;
  strong: Pair;
  emphasis: Pair;
  struck: Pair;
  heading: Pair;
  quote: Pair;
  code: Pair;
  codeBlock(code: string, language: string | null): string;
  /** What stands before and after a link's words. `isBare`: the words are the address. */
  link(href: string, isBare: boolean): Pair;
}

/** A list inside of a list is two levels deeper. */
const listItem: Rule = (tokens, at) => {
  const { level = 1, info = '' } = tokens[at] ?? {};
  return `${'  '.repeat(Math.max(0, (level - 1) / 2))}${info === '' ? '•' : `${info}.`} `;
};

const endOfList: Rule = (tokens, at) => (tokens[at]?.level === 0 ? '\n' : '');

/** How many quotes are open before a token: a quote inside of a quote is not marked. */
const quotesBefore = (tokens: Token[], at: number): number =>
  tokens
    .slice(0, at)
    .reduce(
      (open, { type }) => open + Number(type === 'blockquote_open') - Number(type === 'blockquote_close'),
      0,
    );

const languageOf = ({ info }: Token): string | null => /^[\w+#.-]{1,30}/.exec(info)?.[0] ?? null;

const createRules = ({ escape, escapeCode, ...markup }: Markup): Record<string, Rule> => {
  const codeBlock: Rule = (tokens, at) => {
    const token = tokens[at];
    if (!token) return '';
    return `${markup.codeBlock(escapeCode(token.content.replace(/\n$/, '')), languageOf(token))}\n\n`;
  };
  const linkOf = (tokens: Token[], at: number): Pair => {
    const href = String(tokens[at]?.attrGet('href') ?? '');
    return markup.link(href, tokens[at]?.info === 'auto' || tokens[at + 1]?.content === href);
  };
  /** Of the link that a token ends. */
  const openOf = (tokens: Token[], at: number) =>
    tokens.findLastIndex(({ type }, index) => index < at && type === 'link_open');
  const marked = (name: string, [open, close]: Pair) => ({
    [`${name}_open`]: () => open,
    [`${name}_close`]: () => close,
  });

  return {
    ...marked('strong', markup.strong),
    ...marked('em', markup.emphasis),
    ...marked('s', markup.struck),
    ...marked('heading', [markup.heading[0], `${markup.heading[1]}\n\n`]),
    text: (tokens, at) => escape(tokens[at]?.content ?? ''),
    code_inline: (tokens, at) => markup.code[0] + escapeCode(tokens[at]?.content ?? '') + markup.code[1],
    link_open: (tokens, at) => linkOf(tokens, at)[0],
    link_close: (tokens, at) => linkOf(tokens, openOf(tokens, at))[1],
    paragraph_open: () => '',
    paragraph_close: (tokens, at) => (tokens[at]?.hidden === true ? '\n' : '\n\n'),
    bullet_list_open: () => '',
    bullet_list_close: endOfList,
    ordered_list_open: () => '',
    ordered_list_close: endOfList,
    list_item_open: listItem,
    list_item_close: () => '',
    blockquote_open: (tokens, at) => (quotesBefore(tokens, at) === 0 ? markup.quote[0] : ''),
    blockquote_close: (tokens, at) => (quotesBefore(tokens, at) === 1 ? `${markup.quote[1]}\n\n` : ''),
    fence: codeBlock,
    code_block: codeBlock,
    hr: () => '———\n\n',
    hardbreak: () => '\n',
    softbreak: () => '\n',
  };
};

/** Tables as their lines of code: chats have none. */
const withoutTables = (tokens: Token[], lines: readonly string[], code: () => Token[]): Token[] => {
  let isInTable = false;
  return tokens.flatMap((token) => {
    if (token.type === 'table_close') isInTable = false;
    if (isInTable || token.type === 'table_close') return [];
    if (token.type !== 'table_open') return [token];
    isInTable = true;
    return code().map((block) =>
      Object.assign(block, { content: lines.slice(...(token.map ?? [0, 0])).join('\n') }),
    );
  });
};

/** Prints a part of markdown in the markup of a platform. */
export const createPrinter = (markup: Markup): ((markdown: string) => string) => {
  const parser = new MarkdownIt({ html: false, linkify: false }).disable(['image', 'reference']);
  // Other addresses, such as `tg://`, act in the person's app.
  parser.validateLink = (url) => /^https?:\/\//i.test(url);
  Object.assign(parser.renderer.rules, createRules(markup));
  const emptyCode = () => parser.parse('```\n```', {});
  return (markdown) =>
    parser.renderer
      .render(withoutTables(parser.parse(markdown, {}), markdown.split('\n'), emptyCode), parser.options)
      .trim();
};
