/** One simple command, word by word as the shell passes them on. */
export interface LiteralCommand {
  words: string[];
  /** Whether its output goes to a file. */
  writes: boolean;
}

const blank = /[ \t]/;
const wordCharacter = /[\p{L}\p{N}_./:@,+=%^-]/u;
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
/** A text in quotes in which nothing is expanded. */
const quoted = /'([^']*)'|"([^"$`\\!]*)"/y;
const redirection = /(?:>>?|<)(?![<>&|(])|>&(?=[12-])/y;
const separator = /;|&&|\|\|?(?!&)|\n/y;

/**
 * The simple commands of a text in which every word stands for itself; undefined where the shell would
 * expand, assign, group, or run something in the background: what it then names is not known.
 */
export const literalCommands = (text: string): LiteralCommand[] | undefined => {
  const commands: LiteralCommand[] = [];
  let command: LiteralCommand = { words: [], writes: false };
  let word: string | undefined;
  /** The next word is the file of a redirection. */
  let isTarget = false;

  const endWord = () => {
    if (word !== undefined && !isTarget) command.words.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (command.words.length > 0) commands.push(command);
    command = { words: [], writes: false };
  };
  const matchAt = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };

  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    const quote = matchAt(quoted, at);
    const redirects = matchAt(redirection, at);
    const separates = matchAt(separator, at);
    if (quote) word = (word ?? '') + (quote[1] ?? quote[2] ?? '');
    else if (blank.test(char)) endWord();
    else if (wordCharacter.test(char)) word = (word ?? '') + char;
    else if (redirects) {
      if (word !== undefined && /^\d$/.test(word)) word = undefined;
      endWord();
      command.writes ||= redirects[0].startsWith('>') && redirects[0] !== '>&';
      isTarget = true;
    } else if (separates) endCommand();
    else return undefined;
    at += (quote ?? redirects ?? separates)?.[0].length ?? 1;
  }
  endCommand();
  return commands.some(({ words: [first = ''] }) => assignment.test(first)) ? undefined : commands;
};
