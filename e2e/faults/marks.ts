import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lineCount } from './commands/follow-process.ts';
import type { PlannedCall } from './plan.ts';

// What the tools leave behind on the machine: marks of commands in one file, and one file for each edit.

const marksFile = 'marks.txt';
const editsFolder = 'edits';
const end = 'END';

/** One mark of a command; the machine's own clock, milliseconds since 1970. */
const mark = z.tuple([z.string(), z.enum(['begins', 'ends']), z.coerce.number()]);
export interface Mark {
  op: string;
  what: 'begins' | 'ends';
  at: number;
  /** The folder in which it was found. */
  root: string;
}

/** How often an edit was made. `whole` is false for a file that is neither the old nor the new one. */
export interface Edit {
  op: string;
  times: number;
  whole: boolean;
  root: string;
}

/** The call of the daemon's tool for a planned one. */
export const toolCallOf = (
  { op, tool, takesMs }: Pick<PlannedCall, 'op' | 'tool' | 'takesMs'>,
  sitePort = 0,
) => {
  const note = (what: string) => `echo "${op} ${what} $(date +%s%3N)" >> ${marksFile}`;
  const between = (work: string) => `${note('begins')}; ${work}; ${note('ends')}`;
  switch (tool) {
    case 'shell':
      return {
        name: 'shell_execute',
        arguments: { command: between(`echo ${op}; sleep ${takesMs / 1_000}`) },
      };
    case 'network': {
      const work = `curl -sS http://localhost:${sitePort}/${op}; sleep ${takesMs / 1_000}`;
      const network = [`localhost:${sitePort}`];
      return { name: 'shell_execute', arguments: { command: between(work), network } };
    }
    case 'process': {
      const pause = `[ $((i % 20)) -ne 1 ] || sleep ${(takesMs * 20) / lineCount / 1_000}`;
      const work = `i=0; while [ $i -lt ${lineCount} ]; do i=$((i + 1)); echo "${op} $i"; ${pause}; done`;
      const given = { command: between(work), waitFor: [`${op} 1`], waitMs: 20_000 };
      return { name: 'process_start', arguments: given };
    }
    case 'edit':
      return {
        name: 'edit_file',
        arguments: {
          filePath: `${editsFolder}/${op}.txt`,
          oldString: end,
          newString: `edited by ${op}\n${end}`,
        },
      };
    case 'read':
      return { name: 'read_file', arguments: { filePath: `${editsFolder}/${op}.txt` } };
    default:
      return tool satisfies never;
  }
};

/** The op that a call's arguments, as JSON, belong to. */
export const opIn = (json: string): string | undefined => /op-\d{6}/.exec(json)?.[0];

/** Puts the files of a call in place before it is made. */
export const prepareMarks = (root: string, op: string): void => {
  mkdirSync(join(root, editsFolder), { recursive: true });
  writeFileSync(join(root, editsFolder, `${op}.txt`), `of ${op}\n${end}\n`);
};

const readMarks = (root: string): Mark[] => {
  const path = join(root, marksFile);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [op, what, at] = mark.parse(line.split(' '));
    return { op, what, at, root };
  });
};

const readEdits = (root: string): Edit[] => {
  const folder = join(root, editsFolder);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));
  return files.map((file) => {
    const op = file.replace(/\.txt$/, '');
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const times = lines.filter((line) => line === `edited by ${op}`).length;
    const expected = [`of ${op}`, ...Array<string>(times).fill(`edited by ${op}`), end, ''];
    return { op, times, whole: lines.join('\n') === expected.join('\n'), root };
  });
};

/** All that the tools have left in some folders. */
export const readLeft = (roots: string[]): { marks: Mark[]; edits: Edit[] } => ({
  marks: roots.flatMap(readMarks),
  edits: roots.flatMap(readEdits),
});
