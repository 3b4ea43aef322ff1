import {
  maxPictureCharacters,
  maxTurnPictures,
  turnPicture,
  type TurnPicture,
} from '@drawbridge/contracts/machines/runtimes';
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
  pictures: TurnPicture[];
}

const createReader = (files: ReadonlyMap<string, FileRow>, takesPictures: boolean) => {
  let room = maxFileCharacters;
  let pictureRoom = maxPictureCharacters;
  const pictures: TurnPicture[] = [];
  const left: string[] = [];
  return {
    left,
    pictures,
    read: (fileId: string, name: string): string => {
      const row = files.get(fileId);
      const text = row && isText(row.mediaType) ? fileText(row) : null;
      const quoted = JSON.stringify(name);
      const { data: picture } = turnPicture.safeParse({ name, mediaType: row?.mediaType, data: row?.data });
      const fits = pictures.length < maxTurnPictures && (picture?.data.length ?? 0) <= pictureRoom;
      if (takesPictures && picture !== undefined && fits) {
        pictures.push(picture);
        pictureRoom -= picture.data.length;
        return `[The picture ${quoted} is with this message.]`;
      }
      if (text === null || text.length > room) {
        left.push(name);
        return `[The file ${quoted} cannot be passed on to you.]`;
      }
      room -= text.length;
      return `[The file ${quoted}:]\n${text}\n[The end of the file ${quoted}]`;
    },
  };
};

/** Texts of files are in it, and pictures beside it where they are taken; other files are only named. */
export const messageWords = async (
  { store }: Pick<AgentNeeds, 'store'>,
  { userId, takesPictures }: { userId: string; takesPictures: boolean },
  messages: readonly MessageRow[],
): Promise<MessageWords> => {
  const files = await readFiles(userId, { messages, calls: new Map() }, store);
  const { read, left, pictures } = createReader(files, takesPictures);
  const wordsFor = (message: MessageRow): string => {
    if (message.source === 'continue') return 'Continue.';
    const files = message.parts.flatMap((part) =>
      part.type === 'file' ? [read(part.file.id, part.file.name)] : [],
    );
    return [wordsOf(message.parts), ...files].filter(Boolean).join('\n');
  };
  return { words: messages.map(wordsFor).join('\n\n'), left, pictures };
};
