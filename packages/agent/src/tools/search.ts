import { cutText } from '@drawbridge/kit';
import type { ToolSpec } from '../ports/model.ts';

export interface ToolHit {
  name: string;
  /** At most 200 characters. */
  description: string;
}

const maxHits = 8;
const descriptionLength = 200;
/** The points of a word of the query. */
const points = { nameWord: 6, inName: 3, descriptionWord: 2, inDescription: 1 };

/** `readFile`, `read_file` and `read.file` are two words. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const scoreOf = ({ name, description }: ToolSpec, query: readonly string[]): number => {
  const nameWords = wordsOf(name);
  const descriptionWords = new Set(wordsOf(description));
  const nameText = nameWords.join(' ');
  const descriptionText = [...descriptionWords].join(' ');
  return query.reduce((sum, word) => {
    const inName = nameWords.includes(word) ? points.nameWord : nameText.includes(word) ? points.inName : 0;
    if (descriptionWords.has(word)) return sum + inName + points.descriptionWord;
    return sum + inName + (descriptionText.includes(word) ? points.inDescription : 0);
  }, 0);
};

/** The deferred tools that fit the query best, at most 8; equal ones in the order of their names. */
export const searchTools = (tools: readonly ToolSpec[], query: string): ToolHit[] => {
  const words = [...new Set(wordsOf(query))];
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, maxHits)
    .map(({ tool: { name, description } }) => ({
      name,
      description: cutText(description, descriptionLength),
    }));
};
