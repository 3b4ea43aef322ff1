import { withoutInvisible } from '../../text/normalize.ts';

const wrappers = new Set(
  (
    'sudo doas env nohup nice ionice chrt time timeout stdbuf setsid xargs command builtin exec busybox chroot unshare nsenter ' +
    'strace script flock parallel watch coproc if then else elif do while until !'
  ).split(' '),
);
const shells = new Set('sh bash dash zsh ksh ash eval script watch env ssh su xargs find'.split(' '));
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const operators = new Set([';', '&', '|', '\n', '\r', '(', ')', '{', '}', '`', '<', '>']);
const longestText = 100_000;
const maxDepth = 4;

/** Splits at blanks and operators; quotes and backslashes are removed. `$(…)` is split like the rest. */
const split = (text: string): string[][] => {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote = '';
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\' && quote !== "'") {
      at += 1;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else if (quote === '"' && (char === '`' || (char === '$' && text[at + 1] === '('))) {
        // What a double quote holds runs too; the rest of the text is read as unquoted from here.
        quote = '';
        endCommand();
      } else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (operators.has(char)) endCommand();
    else if (char === ' ' || char === '\t') endWord();
    else if (char === '$' && (text[at + 1] === '(' || text[at + 1] === "'" || text[at + 1] === '"')) continue;
    else word = (word ?? '') + char;
  }
  endCommand();
  return commands;
};

/** A place at which a program may stand. Readings of one command share its words: none is copied. */
export interface Reading {
  /** Without its folder, in small letters. */
  program: string;
  words: readonly string[];
  /** Where in `words` the program's own begin. */
  from: number;
}

const programOf = (word: string) => word.slice(word.lastIndexOf('/') + 1).toLowerCase();

/** The first program, each word after a wrapper, and what the words after a shell read as: once each. */
const addCommand = (words: readonly string[], depth: number, found: Reading[]): void => {
  const start = words.findIndex((word) => !assignment.test(word));
  if (start === -1) return;
  let isWrapped = false;
  let isText = false;
  for (let at = start; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (isText && depth < maxDepth) addText(word, depth + 1, found);
    if (at > start && (!isWrapped || assignment.test(word))) continue;
    const program = programOf(word);
    found.push({ program, words, from: at + 1 });
    isWrapped ||= wrappers.has(program);
    isText ||= shells.has(program);
  }
};

const addText = (text: string, depth: number, found: Reading[]): void => {
  for (const words of split(withoutInvisible(text))) addCommand(words, depth, found);
};

/**
 * The commands that a shell text may start, without quotes, wrappers and folders: `X=1 sudo /bin/rm a` has
 * `rm a`. Their number and the work grow as the text does. For deny rules and hints only, which may match
 * too much: no parser can promise what `sh` really runs.
 */
export const readingsOf = (text: string): Reading[] => {
  const found: Reading[] = [];
  addText(text.slice(0, longestText), 0, found);
  return found;
};
