import { fileText, isText, readFiles } from '../../memory/files.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { wordsOf } from '../../rows/parts.ts';
import type { FileRow, MessageRow } from '../../rows/rows.ts';

/** Of the text files of one turn together; one that does not fit is left out as a whole. */
const maxFileCharacters = 50_000;

/** What a coding agent is told of new messages, and the names of the files that it does not get. */
export interface MessageWords {
  words: string;
  left: string[];
}

const createReader = (files: ReadonlyMap<string, FileRow>) => {
  let room = maxFileCharacters;
  const left: string[] = [];
  return {
    left,
    read: (fileId: string, name: string): string => {
      const row = files.get(fileId);
      const text = row && isText(row.mediaType) ? fileText(row) : null;
      const quoted = JSON.stringify(name);
      if (text === null || text.length > room) {
        left.push(name);
        return `[The file ${quoted} cannot be passed on to you.]`;
      }
      room -= text.length;
      return `[The file ${quoted}:]\n${text}\n[The end of the file ${quoted}]`;
    },
  };
};

/** Texts of files are in it as they are; pictures and other files are named alone. */
export const messageWords = async (
  { store }: Pick<AgentNeeds, 'store'>,
  userId: string,
  messages: readonly MessageRow[],
): Promise<MessageWords> => {
  const { read, left } = createReader(await readFiles(userId, { messages, calls: new Map() }, store));
  const wordsFor = (message: MessageRow): string => {
    if (message.source === 'continue') return 'Continue.';
    const files = message.parts.flatMap((part) =>
      part.type === 'file' ? [read(part.file.id, part.file.name)] : [],
    );
    return [wordsOf(message.parts), ...files].filter(Boolean).join('\n');
  };
  return { words: messages.map(wordsFor).join('\n\n'), left };
};
