import type { IncomingFile, IncomingMessage, IncomingReaction } from '../adapter.ts';
import type { Handling } from '../reactions/match-rules.ts';

interface Given {
  text: string;
  files: readonly IncomingFile[];
  state: 'accepted' | 'answered';
}

/** What somebody has written, as a file: files are data to the agent. */
const asFile = (name: string, text: string): IncomingFile => ({ id: null, name, size: null, text });

/** A message behind a prompt: with its files, of which recordings are data too. */
export const messageAsData = (
  on: 'message' | 'mail',
  { sender, text, files }: Pick<IncomingMessage, 'sender' | 'text' | 'files'>,
): IncomingFile[] => [
  ...(text.trim() === '' ? [] : [asFile(`${on}.txt`, `Written by ${sender.name}:\n\n${text}\n`)]),
  ...files.map((file) => ({ ...file, isForwarded: true })),
];

/** `said`: what the bot had said in the message; null for another message, and for one that is not kept. */
export const emojiAsData = (
  { sender, emojis }: Pick<IncomingReaction, 'sender' | 'emojis'>,
  said: string | null,
): IncomingFile[] => {
  const what = `${sender.name} has put ${emojis.join(' ')} on a message`;
  return [asFile('emoji.txt', said === null ? `${what}.\n` : `${what} of yours:\n\n${said}\n`)];
};

/** What the agent gets of a message. Of one that is kept from the agent no word is stored. */
export const givenBy = (
  handling: Handling,
  { text, files }: Pick<IncomingMessage, 'text' | 'files'>,
  asData: () => readonly IncomingFile[],
): Given => {
  switch (handling.type) {
    case 'as-written':
      return { text, files, state: 'accepted' };
    case 'stop':
      return { text: '/stop', files: [], state: 'accepted' };
    case 'prompt':
      return { text: handling.text, files: asData(), state: 'accepted' };
    case 'ignored':
      return { text: '', files: [], state: 'answered' };
    default:
      return handling satisfies never;
  }
};
