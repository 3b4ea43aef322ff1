import type { ServerResponse } from 'node:http';
import type { Clock } from '@drawbridge/kit';

import { readAssertion } from './google.ts';
import { createGoogleConsent } from './google-consent.ts';
import { openStandIn, replyJson, type StandInRequest } from './http-stand-in.ts';
import { openIssuer } from './signed-tokens.ts';

type Answer = (reply: ServerResponse) => void;

interface Header {
  name: string;
  value: string;
}

interface GmailPart {
  partId: string;
  mimeType: string;
  filename: string;
  headers: Header[];
  body: { attachmentId?: string; size: number; data?: string };
  parts: GmailPart[];
}

interface GmailMessage {
  id: string;
  threadId: string;
  labelIds: string[];
  internalDate: string;
  payload: GmailPart;
}

/** A mail as it comes; each header by its name, twice where it is a list. */
export interface DeliveredMail {
  from?: string | string[];
  subject?: string;
  text?: string;
  html?: string;
  headers?: Record<string, string>;
  /** `Authentication-Results`, in order. */
  auth?: string[];
  labels?: string[];
  /** Parts behind the text: files, and mails that were sent along. */
  more?: GmailPart[];
  /** When it was received; now otherwise. */
  at?: number;
}

/** A mail that was sent, as its bytes say. */
interface SentMail {
  id: string;
  threadId: string | null;
  headers: Header[];
  plain: string;
  html: string;
  files: { name: string; bytes: Buffer }[];
}

export const mailboxAddress = 'agent@gmail.com';
export const gmailClient = { id: '123-abc.apps.googleusercontent.com', secret: 'client-secret' };
const issuer = openIssuer('google-key');
/** What a push subscription needs. */
export const pushFields = {
  topic: 'projects/p/topics/mail',
  subscription: 'projects/p/subscriptions/mail',
  pushAccount: 'push@p.iam.gserviceaccount.com',
};

export const passed = (domain: string): string =>
  `mx.google.com; dkim=pass header.i=@${domain} header.s=s1; spf=pass (google.com: domain of a@${domain} ` +
  `designates 192.0.2.1 as permitted sender) smtp.mailfrom=a@${domain}; dmarc=pass (p=REJECT sp=REJECT ` +
  `dis=NONE) header.from=${domain}`;

export const refuseGmail =
  (code: number, message = 'refused', reason = ''): Answer =>
  (reply) =>
    replyJson(reply, { error: { code, message, errors: [{ reason }] } }, code);

const dataOf = (content: string | Buffer) => Buffer.from(content).toString('base64url');
export const leaf = (
  mimeType: string,
  content: string | Buffer,
  more: Partial<GmailPart> = {},
): GmailPart => ({
  partId: '',
  mimeType,
  filename: '',
  headers: [{ name: 'Content-Type', value: `${mimeType}; charset=utf-8` }],
  body: { size: Buffer.byteLength(content), data: dataOf(content) },
  parts: [],
  ...more,
});
const numbered = (part: GmailPart, partId: string): GmailPart => ({
  ...part,
  partId,
  parts: part.parts.map((one, at) => numbered(one, partId === '' ? String(at) : `${partId}.${at}`)),
});

/** Of a mail of Alice, where it says nothing else. */
export const headersOf = (
  { from = 'Alice <alice@example.com>', subject = 'A mail', auth, headers }: DeliveredMail,
  id = 'a1',
): Header[] => [
  { name: 'Delivered-To', value: mailboxAddress },
  ...(auth ?? [passed('example.com')]).map((value) => ({ name: 'Authentication-Results', value })),
  ...[from].flat().map((value) => ({ name: 'From', value })),
  { name: 'Subject', value: subject },
  { name: 'Message-ID', value: `<${id}@example.com>` },
  ...Object.entries(headers ?? {}).map(([name, value]) => ({ name, value })),
];

/** The headers and the rest of bytes that a mail, or a part of it, is. */
const readPart = (bytes: string): { headers: Header[]; body: string } => {
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const [, name, value] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no header: ${line}`);
    return { name, value };
  });
  return { headers, body: bytes.slice(end + 4) };
};
export const headerOf = (headers: readonly Header[], name: string) =>
  headers.find((one) => one.name.toLowerCase() === name.toLowerCase())?.value;
const leaves = (bytes: string): { headers: Header[]; bytes: Buffer }[] => {
  const { headers, body } = readPart(bytes);
  const [, boundary] = /^multipart\/.*boundary="(.+)"/.exec(headerOf(headers, 'content-type') ?? '') ?? [];
  if (boundary === undefined) return [{ headers, bytes: Buffer.from(body, 'base64') }];
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => leaves(part.slice(2)));
};

const sentOf = ({ headers, body }: StandInRequest, id: string): SentMail => {
  const [, boundary] = /^multipart\/related; boundary="(.+)"$/.exec(headers['content-type'] ?? '') ?? [];
  const [about = '', mail = ''] = body
    .split(`--${boundary}`)
    .slice(1, 3)
    .map((part) => readPart(part.slice(2)).body);
  const parts = leaves(mail);
  const of = (type: string) =>
    parts.find((one) => headerOf(one.headers, 'content-type')?.startsWith(type))?.bytes.toString() ?? '';
  return {
    id,
    threadId: (JSON.parse(about) as { threadId?: string }).threadId ?? null,
    headers: readPart(mail).headers,
    plain: of('text/plain'),
    html: of('text/html'),
    files: parts.flatMap((one) => {
      const [, name] =
        /filename\*=UTF-8''(.+)$/.exec(headerOf(one.headers, 'content-disposition') ?? '') ?? [];
      return name === undefined ? [] : [{ name: decodeURIComponent(name), bytes: one.bytes }];
    }),
  };
};

/** Gmail's API for one mailbox, and Google's address for tokens. A page of the history has two changes. */
export const openGmail = async (clock: Pick<Clock, 'now'>) => {
  const messages: GmailMessage[] = [];
  const sent: SentMail[] = [];
  const attachments = new Map<string, Buffer>();
  const first = new Map<string, Answer[]>();
  let changes: { id: string; message: GmailMessage }[] = [];
  let historyId = 1_000;
  let oldest = 0;
  let number = 0;
  let tokens = 0;
  let losesAnswer = false;
  let refreshToken = 'refresh-token';
  const consent = createGoogleConsent(gmailClient);

  /** What the admin of the Workspace lets its service account do. */
  let delegated: string | null = null;

  /** A service account acts for the mailbox, with exactly these rights. */
  const grantService = async (body: string, reply: ServerResponse) => {
    const { iss, sub, scope } = await readAssertion(body);
    if (iss !== 'agent@p.iam.gserviceaccount.com' || scope !== delegated)
      return replyJson(reply, { error: 'unauthorized_client' }, 401);
    if (sub !== mailboxAddress) return replyJson(reply, { error: 'invalid_grant' }, 400);
    return replyJson(reply, { access_token: `token ${(tokens += 1)}`, expires_in: 3_600 });
  };
  const grant = (body: string, reply: ServerResponse) => {
    const form = new URLSearchParams(body);
    if (form.has('assertion'))
      return void grantService(body, reply).catch(() => replyJson(reply, { error: 'invalid_grant' }, 400));
    if (form.get('grant_type') === 'authorization_code') return consent.exchange(form, reply, refreshToken);
    if (form.get('client_secret') !== gmailClient.secret)
      return replyJson(reply, { error: 'invalid_client' }, 401);
    if (form.get('refresh_token') !== refreshToken) return replyJson(reply, { error: 'invalid_grant' }, 400);
    return replyJson(reply, { access_token: `token ${(tokens += 1)}`, expires_in: 3_600 });
  };
  const history = (query: URLSearchParams, reply: ServerResponse) => {
    const after = Number(query.get('startHistoryId'));
    if (after < oldest) return refuseGmail(404, 'Requested entity was not found.')(reply);
    const all = changes.filter(({ id }) => Number(id) > after);
    const from = Number(query.get('pageToken') ?? 0);
    return replyJson(reply, {
      historyId: String(historyId),
      history: all.slice(from, from + 2).map(({ id, message }) => ({
        id,
        messagesAdded: [{ message: { id: message.id, threadId: message.threadId } }],
      })),
      ...(all.length > from + 2 && { nextPageToken: String(from + 2) }),
    });
  };
  const list = (q: string, reply: ServerResponse) => {
    const [, id] = /^rfc822msgid:(.+)$/.exec(q) ?? [];
    const found =
      id === undefined
        ? messages
            .filter(({ labelIds }) => labelIds.includes('INBOX'))
            .toReversed()
            .slice(0, 50)
        : sent.filter(({ headers }) => headerOf(headers, 'message-id') === `<${id}>`);
    return replyJson(reply, found.length === 0 ? {} : { messages: found.map((one) => ({ id: one.id })) });
  };
  const answer = (request: StandInRequest, reply: ServerResponse): void => {
    const { method, path, body, headers } = request;
    const { pathname, searchParams } = new URL(path, 'http://gmail');
    const name =
      pathname.replace(/^\/(?:(?:(?:upload\/)?gmail\/v1\/users\/me|oauth2\/v3)\/)?/, '').split('/')[0] ?? '';
    const own = first.get(method === 'POST' && name === 'messages' ? 'send' : name)?.shift();
    if (own) return own(reply);
    if (name === 'certs') return void issuer.then(({ jwk }) => replyJson(reply, { keys: [jwk] }));
    if (pathname === '/token') return grant(body, reply);
    if (pathname === '/o/oauth2/v2/auth') return consent.showPage(searchParams, reply);
    if (headers.authorization !== `Bearer token ${tokens}`) return refuseGmail(401)(reply);
    if (name === 'profile')
      return replyJson(reply, { emailAddress: 'Agent@gmail.com', historyId: String(historyId) });
    if (name === 'watch') return replyJson(reply, { historyId: String(historyId), expiration: '0' });
    if (name === 'history') return history(searchParams, reply);
    if (pathname === '/upload/gmail/v1/users/me/messages/send') {
      const isLost = losesAnswer;
      losesAnswer = false;
      sent.push(sentOf(request, `f${sent.length}`));
      if (isLost) return void reply.destroy();
      return replyJson(reply, { id: sent.at(-1)?.id });
    }
    const [, , id = '', file] = /messages(\/([^/]+)(?:\/attachments\/(.+))?)?$/.exec(pathname) ?? [];
    if (name === 'messages' && id === '') return list(searchParams.get('q') ?? '', reply);
    const message = messages.find((one) => one.id === id);
    if (!message) return refuseGmail(404)(reply);
    if (file === undefined) return replyJson(reply, message);
    const bytes = attachments.get(file);
    return bytes ? replyJson(reply, { data: bytes.toString('base64url') }) : refuseGmail(404)(reply);
  };
  const { url, asked } = await openStandIn(answer);

  /** A mail arrives; of Alice, where it says nothing else. */
  const deliver = (mail: DeliveredMail = {}): GmailMessage => {
    const { text, html, more = [] } = mail;
    const id = (0xa0_00 + (number += 1)).toString(16);
    const headers = headersOf(mail, id);
    const texts = [
      ...(text === undefined && html !== undefined ? [] : [leaf('text/plain', text ?? 'Hello')]),
      ...(html === undefined ? [] : [leaf('text/html', html)]),
    ];
    const payload = numbered(leaf('multipart/mixed', '', { headers, parts: [...texts, ...more] }), '');
    const message = {
      id,
      threadId: `b${id}`,
      labelIds: mail.labels ?? ['INBOX', 'UNREAD'],
      internalDate: String(mail.at ?? clock.now()),
      payload,
    };
    messages.push(message);
    changes.push({ id: String((historyId += 1)), message });
    return message;
  };

  return {
    environment: {
      GOOGLE_API_URL: url,
      GMAIL_CLIENT_ID: gmailClient.id,
      GMAIL_CLIENT_SECRET: gmailClient.secret,
      GMAIL_REFRESH_TOKEN: 'refresh-token',
    },
    issuer: () => issuer,
    consent,
    delegate: (scopes: string) => {
      delegated = scopes;
    },
    /** The earlier one has ended. */
    setRefreshToken: (token: string) => {
      refreshToken = token;
    },
    asked,
    sent,
    attachments,
    deliver,
    /** Gmail has the mails, and no longer says when they came. */
    forgetHistory: () => {
      oldest = historyId += 1;
      changes = [];
    },
    /** The next mail is sent, and who sends it does not learn that. */
    loseNextAnswer: () => {
      losesAnswer = true;
    },
    answerFirst: (name: string, ...answers: Answer[]) => first.set(name, answers),
    texts: () => sent.map(({ plain }) => plain),
  };
};
