import type { ServerResponse } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { formOf, openStandIn, replyJson } from './http-stand-in.ts';

export const botToken = `123456:${'A'.repeat(35)}`;

interface SentText {
  chat_id: string;
  text: string;
  parse_mode?: string;
  link_preview_options?: unknown;
  reply_parameters?: { message_id: number };
  reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] };
}

interface EditedText extends SentText {
  message_id: number;
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
  const edited: EditedText[] = [];
  /** Files as they were uploaded. */
  const documents: Record<string, unknown>[] = [];
  const voices: Record<string, unknown>[] = [];
  /** Files of messages by their paths, which are also their ids. */
  const files = new Map<string, Buffer | Answer>();
  /** Emojis that the bot has put on messages. */
  const reacted: Record<string, unknown>[] = [];
  /** What people have read after they had pressed a button. */
  const acknowledged: string[] = [];
  const offsets: (number | undefined)[] = [];
  /** Answers that come first, by method. */
  const first = new Map<string, Answer[]>();
  let next = 1_000;
  /** As it was set. */
  let webhook: Record<string, unknown> = {};
  let waiting: (() => void)[] = [];
  let isAway = false;

  const poll = (offset: number | undefined, reply: ServerResponse) => {
    offsets.push(offset);
    if (offset !== undefined) updates = updates.filter(({ update_id: id }) => id >= offset);
    if (updates.length > 0) return replyJson(reply, { ok: true, result: updates });
    waiting.push(() => poll(offset, reply));
  };
  const ok = (reply: ServerResponse, result: unknown = true) => replyJson(reply, { ok: true, result });
  /** Whether it was refused. */
  const refusesMarkup = ({ parse_mode: mode, text }: SentText, reply: ServerResponse): boolean => {
    if (mode !== 'HTML' || isReadable(text)) return false;
    refuse(400, "Bad Request: can't parse entities")(reply);
    return true;
  };
  const answerTo: Record<string, (body: Record<string, unknown>, reply: ServerResponse) => void> = {
    getMe: (_body, reply) => ok(reply, { id: 123_456, is_bot: true, username: 'stand_in_bot' }),
    deleteWebhook: (_body, reply) => {
      webhook = {};
      ok(reply);
    },
    getUpdates: ({ offset }, reply) => poll(typeof offset === 'number' ? offset : undefined, reply),
    sendChatAction: (_body, reply) => ok(reply),
    getFile: ({ file_id: path }, reply) => ok(reply, { file_path: path }),
    setWebhook: (body, reply) => {
      webhook = body;
      ok(reply);
    },
    getWebhookInfo: (_body, reply) => ok(reply, { url: webhook['url'] ?? '', pending_update_count: 0 }),
    sendMessage: (body, reply) => {
      const message = body as unknown as SentText;
      if (refusesMarkup(message, reply)) return;
      sent.push(message);
      ok(reply, { message_id: sent.length });
    },
    editMessageText: (body, reply) => {
      const message = body as unknown as EditedText;
      if (refusesMarkup(message, reply)) return;
      edited.push(message);
      ok(reply, { message_id: message.message_id });
    },
    setMessageReaction: (body, reply) => {
      reacted.push(body);
      ok(reply);
    },
    answerCallbackQuery: ({ text }, reply) => {
      acknowledged.push(String(text));
      ok(reply);
    },
  };
  const { url, asked, close } = await openStandIn(async (request, reply) => {
    const { path, body } = request;
    if (isAway) return void reply.destroy();
    const [, key, name = ''] = /^\/file\/bot([^/]+)\/(.+)$/.exec(path) ?? [];
    const file = key === botToken ? files.get(name) : undefined;
    if (file) return typeof file === 'function' ? file(reply) : void reply.end(file);
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (token !== botToken) return refuse(401, 'Unauthorized')(reply);
    const own = first.get(method)?.shift();
    if (own) return own(reply);
    if (method === 'sendDocument' || method === 'sendVoice') {
      const uploads = method === 'sendVoice' ? voices : documents;
      uploads.push(await formOf(request));
      return ok(reply, { message_id: 1_000 + documents.length + voices.length });
    }
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

  /** Alice presses a button of the last message that has some. */
  const press = (label: string, more: object = {}) => {
    const at = sent.findLastIndex(({ reply_markup: markup }) => markup !== undefined);
    const buttons = sent[at]?.reply_markup?.inline_keyboard.flat() ?? [];
    const data = buttons.find(({ text }) => text === label)?.callback_data ?? label;
    const { from, chat } = message('').message;
    deliver({
      callback_query: { id: `press ${next}`, from, message: { message_id: at + 1, chat }, data, ...more },
    });
  };

  /** Alice puts emojis on a message. */
  const react = (emojis: readonly string[], more: object = {}) => {
    const { from: user, chat, date } = message('').message;
    const new_reaction = emojis.map((emoji) => ({ type: 'emoji', emoji }));
    deliver({
      message_reaction: {
        chat,
        message_id: sent.length,
        user,
        date,
        old_reaction: [],
        new_reaction,
        ...more,
      },
    });
  };

  return {
    environment: { TELEGRAM_BOT_TOKEN: botToken, TELEGRAM_API_URL: url },
    url,
    asked,
    sent,
    edited,
    documents,
    voices,
    files,
    acknowledged,
    reacted,
    react,
    press,
    offsets,
    webhook: () => webhook,
    close,
    deliver,
    message,
    /** A message of Alice in the chat with the bot. */
    say: (text: string, more: object = {}) => deliver(message(text, more)),
    /** While it is, each request breaks off. */
    setAway: (next: boolean) => (isAway = next),
    /** The next requests of a method get these answers. */
    answerFirst: (method: string, ...answers: Answer[]) => first.set(method, answers),
    texts: () => sent.map(({ text }) => text),
  };
};
