/** No shell reads anything into these, without quotes. */
const plain = /^[A-Za-z0-9_.:/@+=,-]+$/;
/** Nor into these between double quotes, in a POSIX shell, PowerShell and cmd alike. */
const quotable = /^[A-Za-z0-9_.:/@+=,[\]() ~-]*$/;

/** A text as one word of a command line that is pasted into a terminal. */
export const shellWord = (text: string): string => {
  if (plain.test(text)) return text;
  if (quotable.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
};

/** Words as one command. */
export const shellLine = (...words: string[]): string => words.map(shellWord).join(' ');
