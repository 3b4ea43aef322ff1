import { platforms } from '@drawbridge/contracts/outside/channel-platforms';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import {
  PlatformError,
  type ChannelAdapter,
  type Destination,
  type Fields,
  type OutgoingFile,
} from '../adapter.ts';
import { escapeHtml, htmlMarkup } from '../format/html.ts';
import { createIsTrusted } from '../format/links.ts';
import { createPrinter } from '../format/markdown.ts';
import { toPlainText } from '../format/plain.ts';
import { createGmailApi, type GmailApi, type MailboxAccess } from './api.ts';
import { createPush } from './push.ts';
import { bytesOf, filePart, messageOf, quotedOf, quotedPart } from './read-mail.ts';
import { createSync, findMails, getMail, readProfile } from './sync.ts';
import { messageIdOf, uploadOf } from './write-mail.ts';

const addressOf = z.object({
  to: z.string(),
  subject: z.string(),
  threadId: z.string(),
  messageId: z.string().nullable(),
  references: z.array(z.string()),
  hosts: z.array(z.string()),
});
const sentMail = z.object({ id: z.string() });
const attachment = z.object({ data: z.string() });

/**
 * The text of an answer in both forms. Programs that check mails for a company open their links: one that is
 * not trusted is code.
 */
const textsOf = (text: string, isPlain: boolean, isTrusted: (href: string) => boolean) => {
  if (isPlain) return { plain: text, html: `<div style="white-space: pre-wrap">${escapeHtml(text)}</div>` };
  const print = createPrinter({
    ...htmlMarkup,
    link: (href, isBare) => {
      if (isTrusted(href)) return htmlMarkup.link(href, isBare);
      return isBare ? ['<code>', '</code>'] : ['', ` (<code>${escapeHtml(href)}</code>)`];
    },
  });
  return { plain: toPlainText(text), html: `<div style="white-space: pre-wrap">${print(text)}</div>` };
};

interface SendNeeds {
  api: GmailApi;
  ownUrl: string;
  mailbox(signal: AbortSignal): Promise<string>;
}

/** Sends a reply once: a mail of the same id that Gmail has is that reply. */
const createSend =
  ({ api, ownUrl, mailbox }: SendNeeds) =>
  async (
    { text, isPlain, file }: { text: string; isPlain: boolean; file: OutgoingFile | null },
    { id, address, signal }: Omit<Destination, 'isPlain'>,
  ): Promise<string> => {
    const { threadId, hosts, ...to } = addressOf.parse(address);
    const from = await mailbox(signal);
    const [known] = await findMails(api, { q: `rfc822msgid:${messageIdOf(id, from).slice(1, -1)}` }, signal);
    if (known !== undefined) return known;
    const texts = textsOf(text, isPlain, createIsTrusted({ ownUrl, hosts }));
    const mail = { ...to, ...texts, replyId: id, from, file };
    const given =
      (await api.upload(uploadOf(mail, threadId), signal)) ??
      (await api.upload(uploadOf(mail, null), signal));
    if (given === null) throw new PlatformError('refused', 'Gmail does not take the mail');
    return sentMail.safeParse(given).data?.id ?? '';
  };

interface DownloadNeeds {
  api: GmailApi;
  readHtml(html: string): Promise<string>;
}

/** The id of a file is that of its mail and of its part: Gmail gives the part another id each time. */
const createDownload =
  ({ api, readHtml }: DownloadNeeds) =>
  async (fileId: string, signal: AbortSignal): Promise<Buffer> => {
    const gone = new PlatformError('gone', 'The mail is no longer there');
    const [mailId = '', partId = ''] = fileId.split(' ');
    const mail = await getMail(api, mailId, signal);
    if (mail === null) throw gone;
    if (partId === quotedPart) return quotedOf(mail, readHtml);
    const body = filePart(mail, partId)?.body;
    if (body?.data !== undefined) return bytesOf(body.data);
    if (body?.attachmentId === undefined) throw gone;
    const path = `messages/${mail.id}/attachments/${encodeURIComponent(body.attachmentId)}`;
    const { data } = attachment.safeParse(await api.get(path, {}, signal));
    if (!data) throw gone;
    return bytesOf(data.data);
  };

interface Needs {
  clock: Clock;
  url: string;
  fields: Fields;
  ownUrl: string;
  readHtml(html: string): Promise<string>;
}

const service = z.object({ key: z.string(), mailbox: z.string() });
const client = z.object({ clientId: z.string(), clientSecret: z.string(), refreshToken: z.string() });
/** With both ways, as the environment can have them, that of the Workspace counts. */
const accessOf = (fields: Fields): MailboxAccess => {
  const { data } = service.safeParse(fields);
  return data ? { by: 'service', ...data } : { by: 'client', ...client.parse(fields) };
};

/** A mailbox of Gmail. A mail is a message where Gmail itself says who has written it. */
export const createGmail = ({ clock, url, fields, ownUrl, readHtml }: Needs): ChannelAdapter => {
  const { topic, subscription, pushAccount } = platforms.gmail.fields.parse(fields);
  const push = { topic, subscription, pushAccount };
  const api = createGmailApi({ clock, url, access: accessOf(fields) });
  let own: string | null = null;
  const mailbox = async (signal: AbortSignal): Promise<string> =>
    (own ??= (await readProfile(api, signal)).emailAddress);
  const sync = createSync({
    clock,
    api,
    messageOf: async (mail, signal) => messageOf(mail, { own: await mailbox(signal), readHtml }),
  });
  const send = createSend({ api, ownUrl, mailbox });

  return {
    identify: async (signal) => {
      const name = await mailbox(signal);
      return { name, link: (code) => `mailto:${name}${code === undefined ? '' : `?subject=${code}`}` };
    },
    poll: sync,
    confirm: null,
    // A post can be lost.
    pollEveryMs: { poll: 60_000, webhook: 10 * 60_000 },
    webhook: createPush({ clock, api, push, own: () => own }),
    send: (text, to) => send({ text, isPlain: to.isPlain, file: null }, to),
    sendFile: (file, to) => send({ text: file.name, isPlain: true, file }, to),
    voice: null,
    download: createDownload({ api, readHtml }),
    buttons: null,
    draftEveryMs: null,
    react: null,
    typing: null,
  };
};
