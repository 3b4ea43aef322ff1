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

const baseName = (word: string) => word.slice(word.lastIndexOf('/') + 1);

/** Each place in `words` at which a program may stand, from there to the end. */
const readings = (words: string[], depth: number): string[][] => {
  const start = words.findIndex((word) => !assignment.test(word));
  if (start === -1) return [];
  const [first = '', ...rest] = words.slice(start);
  const program = baseName(first).toLowerCase();
  const own = [[program, ...rest]];
  if (wrappers.has(program)) rest.forEach((_, at) => own.push(...plain(rest.slice(at))));
  if (shells.has(program) && depth < 4) for (const word of rest) own.push(...normalise(word, depth + 1));
  return own;
};

const plain = (words: string[]): string[][] => {
  const [first = '', ...rest] = words;
  return assignment.test(first) ? [] : [[baseName(first).toLowerCase(), ...rest]];
};

const normalise = (text: string, depth: number): string[][] =>
  split(withoutInvisible(text)).flatMap((words) => readings(words, depth));

/**
 * The commands in a shell text, without quotes, wrappers and folders: `X=1 sudo /bin/rm a` gives `rm a`.
 * For deny rules only, which may match too much: no parser can promise what `sh` really runs.
 */
export const commandWords = (text: string): string[][] => normalise(text.slice(0, longestText), 0);
