import { cutText } from '@drawbridge/kit';
import type { FileRow, MessageRow, ToolCallRow } from '../rows/rows.ts';
import type { AgentStore } from '../rows/store.ts';

/** Pictures that the model is sent; older ones become a line of text. */
const shownPictures = 4;
const shownTextLength = 40_000;

export const isText = (mediaType: string): boolean =>
  /^text\/|^application\/(?:[a-z0-9.+-]*\+)?(?:json|xml|yaml|x-yaml|javascript|sql|toml)$/.test(mediaType);

interface FileUse {
  fileId: string;
  mediaType: string;
}

const usesOf = (message: MessageRow, calls: ReadonlyMap<string, ToolCallRow>): FileUse[] =>
  message.parts.flatMap((part): FileUse[] => {
    if (part.type === 'file') return [{ fileId: part.file.id, mediaType: part.file.mediaType }];
    if (part.type !== 'tool-call') return [];
    const result = calls.get(part.toolCallId)?.result ?? [];
    return result.flatMap((one) => (one.type === 'image' ? [one] : []));
  });

/** The files whose content the model is sent: the newest pictures, and all texts. */
export const readFiles = async (
  userId: string,
  { messages, calls }: { messages: readonly MessageRow[]; calls: ReadonlyMap<string, ToolCallRow> },
  store: AgentStore,
): Promise<ReadonlyMap<string, FileRow>> => {
  const uses = messages.flatMap((message) => usesOf(message, calls));
  const pictures = uses.filter(({ mediaType }) => mediaType.startsWith('image/'));
  const shown = [...pictures.slice(-shownPictures), ...uses.filter(({ mediaType }) => isText(mediaType))];
  const id = [...new Set(shown.map(({ fileId }) => fileId))];
  const rows = id.length === 0 ? [] : await store.find('agentFiles', { userId, id });
  return new Map(rows.map((row) => [row.id, row]));
};

/** The text of a file, at most 40,000 characters; bytes that are no UTF-8 become U+FFFD. */
export const fileText = ({ data }: FileRow): string => {
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  if (text.length <= shownTextLength) return text;
  return `${cutText(text, shownTextLength)}\n[The rest of the file is left out.]`;
};
