/** A program that may be allowed with further words: its commands and permitted options. */
interface Known {
  /** The offered commands, with how many plain words must follow; absent for a program without commands. */
  commands?: Record<string, number>;
  /** `any`: no option runs another program. `none`: operands only. `last`: operands, and all after `--`. */
  options: 'any' | 'none' | 'last';
}

const readers = new Set(
  (
    'ls cat head tail wc grep egrep fgrep diff cmp comm cut tr nl od du df stat file basename dirname realpath readlink ' +
    'md5sum sha1sum sha256sum sha512sum'
  ).split(' '),
);
const reads: Known = { options: 'any' };
const scripts: Known = { commands: { test: 0, run: 1 }, options: 'last' };

/**
 * Programs that a wider rule is offered for: no interpreters, no wrappers, nothing that destroys.
 * A missing program only means one more question; one too many is a hole.
 */
const known = new Map<string, Known>(
  Object.entries<Known>({
    ...Object.fromEntries([...readers].map((name) => [name, reads])),
    git: {
      commands: Object.fromEntries(
        'status log diff show branch blame describe ls-files rev-parse shortlog add'
          .split(' ')
          .map((name) => [name, 0]),
      ),
      options: 'any',
    },
    npm: scripts,
    pnpm: scripts,
    yarn: { commands: { test: 0 }, options: 'last' },
    cargo: { commands: { test: 0, build: 0, check: 0, clippy: 0, fmt: 0 }, options: 'last' },
    go: { commands: { test: 0, build: 0, vet: 0, fmt: 0, list: 0 }, options: 'none' },
    make: { options: 'none' },
    pytest: { options: 'none' },
    ruff: { commands: { check: 0, format: 0 }, options: 'none' },
    rg: { options: 'none' },
    sort: { options: 'none' },
  }),
);

/** Words that start another program, as npm's script `env` does, or whose file names other files. */
const refused: Record<string, RegExp> = {
  git: /^--(e|te|pathspec-|o(?!neline$))|^-[A-Za-z]*[eO]/,
  npm: /^env$/,
  pnpm: /^env$/,
  wc: /^--f/,
  du: /^--f|^-[A-Za-z]*X|^--exclude-f/,
  file: /^--f|^--ma|^-[A-Za-z]*[fm]/,
  ...Object.fromEntries(
    ['md5sum', 'sha1sum', 'sha256sum', 'sha512sum'].map((name) => [name, /^--c|^-[a-z]*c/]),
  ),
};

/** No quote, expansion, operator, assignment, glob, comment, brace or history. */
const plainWord = /^[A-Za-z0-9_./:@,+-]+$/;

const maxWords = 200;
const maxLength = 4_096;

const optionsFit = (words: readonly string[], options: Known['options']): boolean => {
  if (options === 'any') return true;
  const end = options === 'last' ? words.indexOf('--') : -1;
  return (end === -1 ? words : words.slice(0, end)).every((word) => !word.startsWith('-'));
};

const commandFits = ({ commands }: Known, words: readonly string[]): boolean => {
  if (commands === undefined) return true;
  const [command = '', ...rest] = words;
  const least = Object.hasOwn(commands, command) ? commands[command] : undefined;
  return least !== undefined && rest.slice(0, least).filter((word) => !word.startsWith('-')).length === least;
};

/** The words of a command of plain words, one blank apart, of a known program; else undefined. */
export const plainCommand = (text: string): readonly [string, ...string[]] | undefined => {
  if (text.length > maxLength) return undefined;
  const [program = '', ...words] = text.split(' ');
  if (words.length >= maxWords || ![program, ...words].every((word) => plainWord.test(word)))
    return undefined;
  const facts = known.get(program);
  if (facts === undefined || !commandFits(facts, words) || !optionsFit(words, facts.options))
    return undefined;
  return words.some((word) => refused[program]?.test(word)) ? undefined : [program, ...words];
};

export const isReader = (program: string): boolean => readers.has(program);

/** Options that take no program, file or setting. */
const plainOption =
  /^-[hiklnqrsuvwR]+$|^--(release|all|all-targets|verbose|quiet|workspace|silent|json|locked)$/;

/** Whether a command of these very words is one of a known program, whose words start no other. */
export const isKnownCommand = ([program = '', ...words]: readonly string[]): boolean => {
  const facts = known.get(program);
  const beside = words.filter((word) => !plainOption.test(word));
  return (
    facts !== undefined &&
    commandFits(facts, words) &&
    optionsFit(beside, facts.options) &&
    !words.some((word) => refused[program]?.test(word))
  );
};

/** The host that a command may connect to, as it was declared, and the shell resource of the command. */
export const networkParts = (resource: string): { host: string; command: string } | undefined => {
  const at = resource.indexOf(' < ');
  return at === -1 ? undefined : { host: resource.slice(0, at), command: resource.slice(at + 3) };
};

/** The repository and the direction in a resource of `network` that uses the person's git login. */
export const gitParts = (resource: string): { access: string; repository: string } | undefined => {
  const [, access, repository] = /^git (fetch|push) (\S+\/\S+)$/.exec(resource) ?? [];
  return access === undefined || repository === undefined ? undefined : { access, repository };
};

/** The shell resource in a resource of `shell` or `network`. */
export const commandIn = (resource: string): string =>
  resource.startsWith('"') ? resource : (networkParts(resource)?.command ?? resource);

/** The working folder and the text of a shell resource; undefined for other resources. */
export const commandParts = (resource: string): { folder: string; text: string } | undefined => {
  const quoted = /^"(?:[^"\\]|\\.)*"(?= \$ )/.exec(resource)?.[0];
  if (quoted === undefined) return undefined;
  try {
    const folder: unknown = JSON.parse(quoted);
    const text = resource.slice(quoted.length + ' $ '.length);
    return typeof folder === 'string' ? { folder, text } : undefined;
  } catch {
    return undefined;
  }
};
