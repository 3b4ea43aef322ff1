import { createHash } from 'node:crypto';
import type { OutgoingFile } from '../adapter.ts';
import { oneLine, turnHeader } from './headers.ts';

/** Of an answer that is sent again the same. */
const digestOf = (replyId: string): string => createHash('sha256').update(replyId).digest('hex').slice(0, 40);

/** The id of a mail that this server sends. `from`: its mailbox. */
export const messageIdOf = (replyId: string, from: string): string =>
  `<drawbridge.${digestOf(replyId)}@${from.split('@')[1]}>`;
export const ownMessageId = /^<drawbridge\.[\da-f]{40}@/;

const encoded = (content: string | Buffer): string =>
  Buffer.from(content)
    .toString('base64')
    .match(/.{1,76}/g)
    ?.join('\r\n') ?? '';

/** Bytes of one encoded word, whose 75 characters are the limit. */
const wordBytes = 42;

/** The value of a header: one line, and encoded where it could be read as something else. */
export const headerText = (text: string): string => {
  const line = oneLine(text);
  if (/^[\x20-\x7E]*$/.test(line) && !line.includes('=?') && line.length < 76) return line;
  const words: string[] = [];
  for (const sign of line) {
    const last = words.at(-1);
    if (last !== undefined && Buffer.byteLength(last + sign) <= wordBytes)
      words[words.length - 1] = last + sign;
    else words.push(sign);
  }
  return words.map((one) => `=?utf-8?B?${Buffer.from(one).toString('base64')}?=`).join('\r\n ');
};

/** RFC 2231: no sign of a name acts there. */
const fileName = (name: string): string =>
  encodeURIComponent(Buffer.from(oneLine(name)).toString()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export interface OutgoingMail {
  replyId: string;
  from: string;
  to: string;
  subject: string;
  /** Of the mail that is answered. */
  messageId: string | null;
  references: readonly string[];
  plain: string;
  html: string;
  file: OutgoingFile | null;
}

const textPart = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded(text)}\r\n`;

const multipart = (type: string, boundary: string, parts: readonly string[]): string =>
  `Content-Type: multipart/${type}; boundary="${boundary}"\r\n\r\n` +
  `${parts.map((one) => `--${boundary}\r\n${one}`).join('')}--${boundary}--\r\n`;

const filePart = ({ name, mediaType, bytes }: OutgoingFile): string => {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream';
  return (
    `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n` +
    `Content-Disposition: attachment; filename*=UTF-8''${fileName(name)}\r\n\r\n${encoded(bytes)}\r\n`
  );
};

const answered = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`);

/** A mail as it goes over the wire. It says that a program wrote it, so that no program answers. */
const writeMail = (mail: OutgoingMail): string => {
  const { replyId, from, to, subject, messageId, references, plain, html, file } = mail;
  // None begins with the other: that would end its part.
  const boundaryOf = (part: string) => `drawbridge-${part}-${digestOf(replyId)}`;
  const text = multipart('alternative', boundaryOf('text'), [
    textPart('text/plain', plain),
    textPart('text/html', html),
  ]);
  const headers = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${headerText(answered(subject))}`,
    `Message-ID: ${messageIdOf(replyId, from)}`,
    ...(messageId === null ? [] : [`In-Reply-To: ${messageId}`]),
    ...(references.length === 0 ? [] : [`References: ${references.join('\r\n ')}`]),
    'Auto-Submitted: auto-replied',
    `${turnHeader}: ${digestOf(replyId)}`,
    'MIME-Version: 1.0',
  ];
  const body = file === null ? text : multipart('mixed', boundaryOf('mixed'), [text, filePart(file)]);
  return `${headers.join('\r\n')}\r\n${body}`;
};

/** The body of an upload: the thread, and the mail. Null: a thread of its own. */
export const uploadOf = (mail: OutgoingMail, threadId: string | null): { type: string; text: string } => {
  const boundary = `drawbridge-upload-${digestOf(mail.replyId)}`;
  const about = JSON.stringify(threadId === null ? {} : { threadId });
  return {
    type: `multipart/related; boundary="${boundary}"`,
    text:
      `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${about}\r\n` +
      `--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n${writeMail(mail)}\r\n--${boundary}--\r\n`,
  };
};
