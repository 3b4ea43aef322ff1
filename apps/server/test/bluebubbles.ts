import type { ServerResponse } from 'node:http';
import { systemClock, type Clock } from '@drawbridge/kit';
import { formOf, openStandIn, replyJson } from './http-stand-in.ts';

export const macPassword = 'pass word/&=+';

type Answer = (reply: ServerResponse) => void;

interface MacMessage {
  guid: string;
  text: string;
  isFromMe: boolean;
  dateCreated: number;
  [name: string]: unknown;
}

interface SentText {
  chatGuid: string;
  tempGuid: string;
  message: string;
  method: string;
}

const reply = (to: ServerResponse, data: unknown, status = 200) =>
  replyJson(to, { status, message: status === 200 ? 'Success' : 'Refused', data }, status);

export const refuseMac =
  (status: number, message: string): Answer =>
  (to) =>
    replyJson(to, { status, message: 'Refused', error: { type: 'Error', message } }, status);

/** BlueBubbles' API on a Mac whose messages are in `messages`, dated by `clock`. It posts nothing. */
export const openMac = async (clock: Pick<Clock, 'now'> = systemClock) => {
  const messages: MacMessage[] = [];
  const sent: SentText[] = [];
  /** Files as they were uploaded. */
  const files: Record<string, unknown>[] = [];
  /** Emojis that were put on messages. */
  const reacted: Record<string, unknown>[] = [];
  /** Files of messages, by their ids. */
  const received = new Map<string, Buffer>();
  let webhooks: { id: number; url: string; events: string[] }[] = [];
  const first = new Map<string, Answer[]>();
  let number = 0;

  const routes: Record<string, (body: Record<string, unknown>, to: ServerResponse, id?: string) => void> = {
    'GET server/info': (_body, to) => reply(to, { detected_imessage: 'agent@example.com' }),
    'POST message/query': ({ after, offset, limit }, to) => {
      const from = messages.filter(({ dateCreated }) => dateCreated >= Number(after));
      const sorted = from.toSorted((one, other) => one.dateCreated - other.dateCreated);
      reply(to, sorted.slice(Number(offset), Number(offset) + Number(limit)));
    },
    'GET webhook': (_body, to) => reply(to, webhooks),
    'POST webhook': ({ url, events }, to) => {
      webhooks.push({ id: (number += 1), url: String(url), events: events as string[] });
      reply(to, webhooks.at(-1));
    },
    'DELETE webhook': (_body, to, id) => {
      webhooks = webhooks.filter((one) => String(one.id) !== id);
      reply(to, null);
    },
    'POST message/react': (body, to) => {
      reacted.push(body);
      reply(to, { guid: `reaction ${reacted.length}` });
    },
    'POST message/text': (body, to) => {
      sent.push(body as unknown as SentText);
      reply(to, { guid: `sent ${sent.length}` });
    },
  };
  const { url, asked } = await openStandIn(async (request, to) => {
    const { method, path, body } = request;
    const { pathname, searchParams } = new URL(path, 'http://mac');
    const [, name = '', id] = /^\/api\/v1\/(webhook|[a-z]+\/[a-z]+)(?:\/(\d+))?$/.exec(pathname) ?? [];
    if (searchParams.get('password') !== macPassword) return refuseMac(401, 'You are not authorized')(to);
    const own = first.get(name)?.shift();
    if (own) return own(to);
    const [, guid = ''] = /\/attachment\/([^/]+)\/download$/.exec(pathname) ?? [];
    const file = received.get(decodeURIComponent(guid));
    if (file) return void to.end(file);
    if (name === 'message/attachment') {
      files.push(await formOf(request));
      return reply(to, { guid: `file ${files.length}` });
    }
    const route = routes[`${method} ${name}`];
    return route ? route(body === '' ? {} : JSON.parse(body), to, id) : refuseMac(404, 'Not found')(to);
  });

  const message = (text: string, more: object = {}): MacMessage => ({
    guid: `guid ${(number += 1)}`,
    text,
    isFromMe: false,
    dateCreated: clock.now(),
    handle: { address: '+15551234567', service: 'iMessage' },
    chats: [{ guid: 'iMessage;-;+15551234567' }],
    attachments: [],
    ...more,
  });

  return {
    environment: { BLUEBUBBLES_URL: url, BLUEBUBBLES_PASSWORD: macPassword },
    url,
    asked,
    messages,
    sent,
    reacted,
    files,
    received,
    message,
    webhooks: () => webhooks,
    texts: () => sent.map(({ message: text }) => text),
    /** A message of Alice that the Mac has, and did not post. */
    say: (text: string, more: object = {}) => {
      const one = message(text, more);
      messages.push(one);
      return one;
    },
    /** The next requests of a path get these answers. */
    answerFirst: (path: string, ...answers: Answer[]) => first.set(path, answers),
  };
};
