const named = {
  enter: '\r',
  tab: '\t',
  escape: '\u001b',
  backspace: '\u007f',
  delete: '\u001b[3~',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
} as const;

const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];

/** What a terminal sends for a key. */
const sequences = new Map<string, string>([
  ...Object.entries(named),
  ...alphabet.map((key, at): [string, string] => [`ctrl-${key}`, String.fromCharCode(at + 1)]),
]);

export const keyNames = [...sequences.keys()];

export const interruptKey = 'ctrl-c';

export const toSequence = (keys: readonly string[]): string =>
  keys.map((key) => sequences.get(key) ?? '').join('');

/** What ends the input of a program that reads lines. */
export const endOfInput = toSequence(['ctrl-d']);
