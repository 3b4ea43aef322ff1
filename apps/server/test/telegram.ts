import type { ServerResponse } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { openStandIn, replyJson } from './http-stand-in.ts';

export const botToken = `123456:${'A'.repeat(35)}`;

interface SentText {
  chat_id: string;
  text: string;
  parse_mode?: string;
  link_preview_options?: unknown;
}

type Answer = (reply: ServerResponse) => void;

const tag = /<(\/?)([a-z]+)(?: [a-z]+="[^"<>]*")?>/g;
const allowed = ['b', 'strong', 'i', 'em', 's', 'code', 'pre', 'a', 'blockquote'];

/** Whether Telegram can read the markup: its own tags, closed in order, and no other angle bracket. */
const isReadable = (html: string): boolean => {
  const open: string[] = [];
  for (const [, slash, name = ''] of html.matchAll(tag)) {
    if (!allowed.includes(name)) return false;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0 && !/[<>]/.test(html.replace(tag, ''));
};

export const refuse =
  (error_code: number, description: string, parameters?: object): Answer =>
  (reply) =>
    replyJson(reply, { ok: false, error_code, description, ...(parameters && { parameters }) }, error_code);

/** A server with Telegram's Bot API and one bot, `@stand_in_bot`. */
export const openTelegram = async () => {
  let updates: { update_id: number }[] = [];
  const sent: SentText[] = [];
  const offsets: (number | undefined)[] = [];
  /** Answers that come first, by method. */
  const first = new Map<string, Answer[]>();
  let next = 1_000;
  let waiting: (() => void)[] = [];

  const poll = (offset: number | undefined, reply: ServerResponse) => {
    offsets.push(offset);
    if (offset !== undefined) updates = updates.filter(({ update_id: id }) => id >= offset);
    if (updates.length > 0) return replyJson(reply, { ok: true, result: updates });
    waiting.push(() => poll(offset, reply));
  };
  const ok = (reply: ServerResponse, result: unknown = true) => replyJson(reply, { ok: true, result });
  const answerTo: Record<string, (body: Record<string, unknown>, reply: ServerResponse) => void> = {
    getMe: (_body, reply) => ok(reply, { id: 123_456, is_bot: true, username: 'stand_in_bot' }),
    deleteWebhook: (_body, reply) => ok(reply),
    getUpdates: ({ offset }, reply) => poll(typeof offset === 'number' ? offset : undefined, reply),
    sendChatAction: (_body, reply) => ok(reply),
    sendMessage: (body, reply) => {
      const message = body as unknown as SentText;
      if (message.parse_mode === 'HTML' && !isReadable(message.text))
        return refuse(400, "Bad Request: can't parse entities")(reply);
      sent.push(message);
      ok(reply, { message_id: sent.length });
    },
  };
  const { url, asked, close } = await openStandIn(({ path, body }, reply) => {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (token !== botToken) return refuse(401, 'Unauthorized')(reply);
    const own = first.get(method)?.shift();
    if (own) return own(reply);
    const answer = answerTo[method];
    return answer ? answer(JSON.parse(body), reply) : refuse(404, 'Not Found')(reply);
  });

  /** Delivers updates as they are. */
  const deliver = (...given: object[]) => {
    updates.push(...given.map((one) => ({ update_id: (next += 1), ...one })));
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const message = (text: string, more: object = {}) => ({
    message: {
      message_id: next,
      from: { id: 77, is_bot: false, first_name: 'Alice' },
      chat: { id: 77, type: 'private' },
      date: Math.floor(systemClock.now() / 1_000),
      text,
      ...more,
    },
  });

  return {
    environment: { TELEGRAM_BOT_TOKEN: botToken, TELEGRAM_API_URL: url },
    url,
    asked,
    sent,
    offsets,
    close,
    deliver,
    message,
    /** A message of Alice in the chat with the bot. */
    say: (text: string, more: object = {}) => deliver(message(text, more)),
    /** The next requests of a method get these answers. */
    answerFirst: (method: string, ...answers: Answer[]) => first.set(method, answers),
    texts: () => sent.map(({ text }) => text),
  };
};
