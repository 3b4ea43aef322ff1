import { common, createLowlight } from 'lowlight';
import type { SyntaxKind, TextRange } from './line-parts.ts';

/** Loaded with the first preview or the first code of a chat. */
const lowlight = createLowlight(common);
type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree['children'][number];

/** Longer texts stay without colours, in characters. */
const maxColoured = 60_000;

const kinds: readonly [RegExp, SyntaxKind][] = [
  [/^(comment|quote)/, 'comment'],
  [/^(string|regexp|addition|code)/, 'string'],
  [/^(number|literal|symbol|bullet)/, 'number'],
  [/^(keyword|built_in|type|meta|operator|doctag)/, 'keyword'],
  [/^(title|name|section|attr|attribute|selector|property|tag|function|class)/, 'name'],
];

const kindOf = (classNames: unknown): SyntaxKind | undefined => {
  const [first] = Array.isArray(classNames) ? classNames : [];
  const name = String(first ?? '').replace(/^hljs-/, '');
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
};

/** The coloured ranges of each line of a text. */
const rangesOf = (tree: Tree, lineCount: number): TextRange[][] => {
  const lines: TextRange[][] = Array.from({ length: lineCount }, () => []);
  let [line, at] = [0, 0];
  const walk = (node: Node, kind: SyntaxKind | undefined) => {
    if (node.type === 'element') {
      const own = kindOf(node.properties['className']) ?? kind;
      for (const child of node.children) walk(child, own);
    } else if (node.type === 'text') {
      for (const [part, text] of node.value.split('\n').entries()) {
        if (part > 0) [line, at] = [line + 1, 0];
        if (kind !== undefined && text !== '') lines[line]?.push({ from: at, to: at + text.length, kind });
        at += text.length;
      }
    }
  };
  for (const node of tree.children) walk(node, undefined);
  return lines;
};

/** Whether the language of that name, or of that ending of a file, has colours. */
export const hasColours = (language: string): boolean => lowlight.registered(language);

/** The coloured ranges of each line; null for a long text and for a language that is not known. */
export const linesInColour = (language: string, text: string): TextRange[][] | null =>
  text.length > maxColoured || !hasColours(language)
    ? null
    : rangesOf(lowlight.highlight(language, text), text.split('\n').length);
