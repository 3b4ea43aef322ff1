import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { IncomingFile, IncomingMessage } from '../adapter.ts';
import { hostsIn } from '../format/links.ts';
import { isAutomatic, readable, valuesOf, writerOf, type Header } from './headers.ts';
import { splitHtml, splitText, type SplitText } from './quoted.ts';
import { ownMessageId } from './write-mail.ts';

interface Part {
  partId: string;
  mimeType: string;
  filename: string;
  headers: Header[];
  body: { attachmentId?: string | undefined; size: number; data?: string | undefined };
  parts: Part[];
}
const part: z.ZodType<Part> = z.lazy(() =>
  z.object({
    partId: z.string().default(''),
    mimeType: z.string().default(''),
    filename: z.string().default(''),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
    body: z
      .object({
        attachmentId: z.string().optional(),
        size: z.number().default(0),
        data: z.string().optional(),
      })
      .default({ size: 0 }),
    parts: z.array(part).default([]),
  }),
);
const mail = z.object({
  id: z.string().regex(/^[\da-f]{1,32}$/i),
  threadId: z.string().regex(/^[\da-f]{1,32}$/i),
  labelIds: z.array(z.string()).default([]),
  /** When Gmail has received it, in milliseconds since 1970. */
  internalDate: z.string().transform(Number),
  payload: part,
});
export type Mail = z.infer<typeof mail>;

/** Null for what cannot be read as a mail, also for parts in parts without an end. */
export const mailOf = (given: unknown): Mail | null => {
  try {
    return mail.safeParse(given).data ?? null;
  } catch {
    return null;
  }
};

/** Of the text, before it is read. */
const maxTextLength = 512 * 1_024;
const mostParts = 200;
/** One more than are read, so that its sender is told. */
const mostFiles = 11;
const maxSubject = 300;
const mostReferences = 20;
export const quotedPart = 'quoted';

/** A mail that was sent along is a file: nothing in it is the mail's own. */
const leavesOf = (one: Part): Part[] =>
  one.mimeType.startsWith('multipart/') ? one.parts.flatMap(leavesOf) : [one];
const partsOf = ({ payload }: Mail): Part[] => leavesOf(payload).slice(0, mostParts);

export const bytesOf = (data: string) => Buffer.from(data, 'base64url');

/** Gmail gives some texts as UTF-8 that say another charset. */
const textIn = ({ body, headers }: Part): string => {
  const bytes = bytesOf(body.data ?? '');
  const [type = ''] = valuesOf(headers, 'content-type');
  for (const charset of ['utf-8', /charset="?([\w-]{1,40})/i.exec(type)?.[1] ?? '', 'windows-1252'])
    try {
      return cutText(new TextDecoder(charset, { fatal: true }).decode(bytes), maxTextLength);
    } catch {
      // The next one.
    }
  return '';
};

type ReadHtml = (html: string) => Promise<string>;

/** What the sender wrote, and what they quote, of the first text of the mail. */
const textOf = async (given: Mail, readHtml: ReadHtml): Promise<SplitText> => {
  const texts = partsOf(given).filter(({ filename }) => filename === '');
  const plain = texts.find(({ mimeType }) => mimeType === 'text/plain');
  const html = texts.find(({ mimeType }) => mimeType === 'text/html');
  if (plain && (plain.body.size > 0 || !html)) return splitText(textIn(plain));
  return html ? splitHtml(textIn(html), readHtml) : { own: '', quoted: '' };
};

/** As a file, because files are data to the agent. */
export const quotedOf = async (given: Mail, readHtml: ReadHtml): Promise<Buffer> => {
  const { quoted } = await textOf(given, readHtml);
  return Buffer.from(`Quoted in the mail, from others:\n\n${cutText(quoted, channelLimits.textLength)}\n`);
};

/** The part of a file; null where it is not there. */
export const filePart = (given: Mail, partId: string): Part | null =>
  partsOf(given).find((one) => one.filename !== '' && one.partId === partId) ?? null;

const filesOf = (given: Mail, { quoted }: SplitText, isReplyToOwn: boolean): IncomingFile[] => {
  const files = partsOf(given)
    .filter(({ filename }) => filename !== '')
    .map(({ partId, filename, body: { size } }) => ({ id: `${given.id} ${partId}`, name: filename, size }));
  // The agent knows what it wrote.
  const isKnown = quoted === '' || isReplyToOwn;
  const all = isKnown
    ? files
    : [{ id: `${given.id} ${quotedPart}`, name: 'quoted.txt', size: null }, ...files];
  return all.slice(0, mostFiles);
};

const messageIds = (headers: readonly Header[], name: string): string[] =>
  valuesOf(headers, name).flatMap((value) => value.match(/<[\x21-\x3B\x3D\x3F-\x7E]{1,250}>/g) ?? []);

/** The words of others stand in the subject of an answer, and of what is forwarded. */
const isOfOthers = /^[\p{L}]{1,6}(\[\d+\])?\s?:/u;

/** A subject is part of a first message. Commands stand alone, without a signature. */
const withSubject = (subject: string, own: string, isAnswer: boolean): string => {
  if (own.startsWith('/')) return own.split('\n')[0] ?? '';
  const isPart = subject !== '' && !isAnswer && !isOfOthers.test(subject);
  return [...(isPart ? [subject] : []), ...(own === '' ? [] : [own])].join('\n\n');
};

interface ReadNeeds {
  /** The address of this server's mailbox. */
  own: string;
  readHtml: ReadHtml;
}

/** A mail that is its sender's; null for every other one, and for those of programs. */
export const messageOf = async (
  given: Mail,
  { own, readHtml }: ReadNeeds,
): Promise<IncomingMessage | null> => {
  const { headers } = given.payload;
  const writer = isAutomatic(headers) ? null : writerOf({ headers, labels: given.labelIds, own });
  if (writer === null) return null;
  const subject = cutText(readable(valuesOf(headers, 'subject')[0] ?? ''), maxSubject);
  const split = await textOf(given, readHtml);
  const [messageId = null] = messageIds(headers, 'message-id');
  const answered = messageIds(headers, 'in-reply-to');
  const references = [...messageIds(headers, 'references'), ...(messageId === null ? [] : [messageId])];
  const text = withSubject(subject, split.own, answered.length > 0);
  return {
    type: 'message',
    conversation: writer.address,
    group: null,
    sender: { id: writer.address, name: writer.name },
    subject,
    text: cutText(text, channelLimits.textLength),
    files: filesOf(
      given,
      split,
      answered.some((id) => ownMessageId.test(id)),
    ),
    sentAt: given.internalDate,
    messageId: null,
    address: {
      to: writer.address,
      subject,
      threadId: given.threadId,
      messageId,
      references: references.slice(-mostReferences),
      hosts: hostsIn(text),
    },
  };
};
