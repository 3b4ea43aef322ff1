/** Lines that say little of what a script does: empty ones, comments, options, a folder, a loop as such. */
const saysLittle = /^(?:#.*|(?:set|cd)(?:\s+[\w./~+-]+)*|for .*\bdo|do|done|then|else|fi|esac)?$/;

/** Without what a shell ignores around a command. No pattern: for many spaces that takes very long. */
const withoutOuterSpace = (command: string): string => {
  const isSpace = (at: number) => ' \t\n'.includes(command.charAt(at));
  let [start, end] = [0, command.length];
  while (start < end && isSpace(start)) start += 1;
  while (start < end && isSpace(end - 1)) end -= 1;
  return command.slice(start, end);
};

/** Of a shell command: the first line that says what it does, and how many other lines it has. */
export const mainLine = (command: string): { line: string; others: number } => {
  const lines = withoutOuterSpace(command).split('\n');
  const [first = ''] = lines;
  if (lines.length === 1) return { line: first, others: 0 };
  const line = lines.map(withoutOuterSpace).find((one) => !saysLittle.test(one));
  return { line: line ?? first, others: lines.length - 1 };
};
