import MarkdownIt from 'markdown-it';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

/** One block of a text at the top level, as markdown-it's tokens. */
export type Block = readonly Token[];

/** A text with more nodes is shown as plain text. */
export const maxNodes = 5_000;

const parser = new MarkdownIt({ html: false, linkify: false }).disable(['image', 'reference']);
parser.validateLink = (url) => /^https?:\/\//i.test(url);

/** What was parsed, for the text that grows from it. */
export interface Parsed {
  text: string;
  /** Null: too many nodes, or nothing but plain text is safe. */
  blocks: readonly Block[] | null;
  /** The number of nodes in all blocks. */
  nodes: number;
  /** How many blocks no longer change when text is added, and where the next one begins. */
  closed: number;
  openAt: number;
}

const nothing: Parsed = { text: '', blocks: [], nodes: 0, closed: 0, openAt: 0 };

const blocksOf = (tokens: readonly Token[]): Block[] => {
  const blocks: Token[][] = [];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0) blocks.push([]);
    blocks.at(-1)?.push(token);
    depth += token.nesting;
  }
  return blocks;
};

const countOf = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0);

/** The offset of a line, in UTF-16 code units. */
const offsetOf = (text: string, line: number): number => {
  let at = 0;
  for (let left = line; left > 0; left -= 1) at = text.indexOf('\n', at) + 1;
  return at;
};

/**
 * The last of the blocks, but the newest, that begins behind an empty line: text that is added may join the
 * newest block to those right before it, as in "```a" and "```a```".
 */
const firstOpen = (blocks: readonly Block[], lines: readonly string[]): { at: number; line: number } => {
  for (let at = blocks.length - 2; at > 0; at -= 1) {
    const line = blocks[at]?.[0]?.map?.[0] ?? 0;
    if (lines[line - 1]?.trim() === '') return { at, line };
  }
  return { at: 0, line: 0 };
};

/** The blocks of a markdown text. Where it continues `before`, the closed blocks of it are taken over. */
export const parse = (text: string, before: Parsed = nothing): Parsed => {
  const grows = before.blocks !== null && text.startsWith(before.text) && !before.text.includes('\r');
  const kept = grows ? (before.blocks ?? []).slice(0, before.closed) : [];
  const from = grows ? before.openAt : 0;
  const rest = text.slice(from);
  const tokens = parser.parse(rest, {});
  const fresh = blocksOf(tokens);
  const { at, line } = firstOpen(fresh, rest.split('\n'));
  const nodes = kept.reduce((sum, block) => sum + countOf(block), 0) + countOf(tokens);
  return {
    text,
    blocks: nodes > maxNodes ? null : [...kept, ...fresh],
    nodes,
    closed: kept.length + at,
    openAt: from + offsetOf(rest, line),
  };
};
