/** Safe in every shell without quotes. */
const plain = /^[A-Za-z0-9_.:/@+=,-]+$/;
/** Safe between double quotes in a POSIX shell, PowerShell and cmd. */
const quotable = /^[A-Za-z0-9_.:/@+=,[\]() ~-]*$/;

/** Quotes a text as one word of a command line. */
export const shellWord = (text: string): string => {
  if (plain.test(text)) return text;
  if (quotable.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
};

export const shellLine = (...words: string[]): string => words.map(shellWord).join(' ');
