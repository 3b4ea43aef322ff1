import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Lines of git's list that start no program: comments, and every command but `exec`. */
const harmlessLine =
  /^[ \t]*(#|$|(p|pick|r|reword|e|edit|s|squash|f|fixup|d|drop|l|label|t|reset|m|merge|u|update-ref|revert)[ \t]|(b|break|noop)[ \t\r]*$)/;

/** The text of a plain file of at most `maxBytes`, else undefined. Does not wait or follow a link. */
export const readPlainFile = (path: string, maxBytes: number): string | undefined => {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= maxBytes ? readFileSync(fd, 'utf8') : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
};

const maxTodoBytes = 1024 * 1024;

/** The list of what git does next; undefined where it is no plain file. */
export const readTodo = (path: string): string | undefined => readPlainFile(path, maxTodoBytes);

/** The list without the lines that run a program, and how many those were. */
export const withoutCommands = (text: string): { text: string; dropped: number } => {
  const lines = text.split('\n');
  const kept = lines.filter((line) => harmlessLine.test(line));
  return { text: kept.join('\n'), dropped: lines.length - kept.length };
};
