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
  /** Where the last block begins in `text`. */
  lastAt: number;
}

const nothing: Parsed = { text: '', blocks: [], nodes: 0, lastAt: 0 };

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
 * The blocks of a markdown text. Where it continues `before`, the blocks before its last one are taken over,
 * because text at the end changes the last block alone.
 */
export const parse = (text: string, before: Parsed = nothing): Parsed => {
  const grows = before.blocks !== null && text.startsWith(before.text) && !before.text.includes('\r');
  const kept = grows ? (before.blocks ?? []).slice(0, -1) : [];
  const from = grows ? before.lastAt : 0;
  const tokens = parser.parse(text.slice(from), {});
  const fresh = blocksOf(tokens);
  const nodes = kept.reduce((sum, block) => sum + countOf(block), 0) + countOf(tokens);
  const line = fresh.at(-1)?.[0]?.map?.[0] ?? 0;
  return {
    text,
    blocks: nodes > maxNodes ? null : [...kept, ...fresh],
    nodes,
    lastAt: from + offsetOf(text.slice(from), line),
  };
};
