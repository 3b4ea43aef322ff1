import { platforms } from '@drawbridge/contracts/outside/channel-platforms';
import { cutText, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type {
  Address,
  Button,
  ChannelAdapter,
  Destination,
  Fields,
  OutgoingFile,
  PlatformButtons,
} from '../adapter.ts';
import { isSameSecret, PlatformError } from '../adapter.ts';
import { createTelegramApi, pollSeconds } from './api.ts';
import { toTelegramHtml } from './html.ts';
import { readUpdates, type Self } from './updates.ts';

const updatesAtOnce = 50;

const me = z.object({ id: z.int().transform(String), username: z.string() });
const addressOf = z.object({
  chatId: z.string(),
  threadId: z.int().optional(),
  /** The message of a group that is answered. */
  replyTo: z.int().optional(),
});

const placeOf = (address: Address) => {
  const { chatId, threadId } = addressOf.parse(address);
  return { chat_id: chatId, ...(threadId !== undefined && { message_thread_id: threadId }) };
};

const replyOf = (address: Address) => {
  const { replyTo } = addressOf.parse(address);
  if (replyTo === undefined) return {};
  return { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
};

const updateTypes = ['message', 'callback_query', 'message_reaction'];
const secretHeader = 'x-telegram-bot-api-secret-token';
const webhookInfo = z.object({
  url: z.string(),
  last_error_date: z.number().optional(),
  last_error_message: z.string().optional(),
});
const recentMs = 2 * 60_000;

const sentMessage = z.object({ message_id: z.int() });

const shownOf = (text: string, isPlain: boolean) => ({
  ...(isPlain ? { text } : { text: toTelegramHtml(text), parse_mode: 'HTML' }),
  // A preview is a request that Telegram makes: a link could carry something out without a click.
  link_preview_options: { is_disabled: true },
});

const keyboardOf = (buttons: readonly Button[]) =>
  buttons.length === 0
    ? {}
    : {
        reply_markup: {
          inline_keyboard: [buttons.map(({ label, data }) => ({ text: label, callback_data: data }))],
        },
      };

/** A file, pictures too, goes as a document: a photo would be changed on its way. */
const createUpload =
  (call: ReturnType<typeof createTelegramApi>['call'], field: 'document' | 'voice') =>
  async (
    { name, mediaType, bytes }: OutgoingFile,
    { address, signal }: Omit<Destination, 'isPlain'>,
  ): Promise<string> => {
    const form = new FormData();
    for (const [key, value] of Object.entries(placeOf(address))) form.set(key, String(value));
    form.set(field, new Blob([bytes], { type: mediaType }), name);
    const method = field === 'voice' ? 'sendVoice' : 'sendDocument';
    return String(sentMessage.parse(await call(method, form, signal)).message_id);
  };

/** Of a repeat, and for a message that the person has deleted or that is too old. */
const isEdited = /message is not modified/i;
const isGone = /message to edit not found|message can't be edited/i;

const createButtons = (call: ReturnType<typeof createTelegramApi>['call']): PlatformButtons => ({
  edit: async (messageId, text, { address, isPlain, signal }) => {
    const { chat_id } = placeOf(address);
    const edited = { chat_id, message_id: Number(messageId), ...shownOf(text, isPlain) };
    try {
      await call('editMessageText', edited, signal);
      return true;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (isGone.test(error.message)) return false;
      if (isEdited.test(error.message)) return true;
      throw error;
    }
  },
  acknowledge: async (pressId, text, signal) => {
    await call('answerCallbackQuery', { callback_query_id: pressId, text: cutText(text, 200) }, signal);
  },
});

const createReact =
  (call: ReturnType<typeof createTelegramApi>['call']): NonNullable<ChannelAdapter['react']> =>
  async (messageId, emoji, { address, signal }) => {
    const { chat_id } = placeOf(address);
    const reaction = [{ type: 'emoji', emoji }];
    await call('setMessageReaction', { chat_id, message_id: Number(messageId), reaction }, signal);
  };

interface Needs {
  clock: Clock;
  url: string;
  fields: Fields;
}

/** A bot of Telegram, which is asked for its messages: no address of this server is needed. Bot API 10.1. */
export const createTelegram = (needs: Needs): ChannelAdapter => {
  const { token } = platforms.telegram.fields.parse(needs.fields);
  const { call, download } = createTelegramApi({ ...needs, token });
  let self: Self | null = null;
  let isPolled = false;
  const requireSelf = (): Self => {
    if (self === null) throw new PlatformError('refused', 'The bot has no name yet');
    return self;
  };

  return {
    identify: async (signal) => {
      const parsed = me.safeParse(await call('getMe', {}, signal));
      if (!parsed.success) throw new PlatformError('refused', 'Telegram gave no name of the bot');
      self = parsed.data;
      const { username } = parsed.data;
      const address = `https://t.me/${username}`;
      return {
        name: `@${username}`,
        link: (code) => (code === undefined ? address : `${address}?start=${code}`),
      };
    },
    poll: async (cursor, signal) => {
      const bot = requireSelf();
      // A webhook of an earlier use would keep updates away.
      if (!isPolled) await call('deleteWebhook', { drop_pending_updates: false }, signal);
      isPolled = true;
      const given = await call(
        'getUpdates',
        {
          ...(cursor !== null && { offset: Number(cursor) }),
          limit: updatesAtOnce,
          timeout: pollSeconds,
          allowed_updates: updateTypes,
        },
        signal,
      );
      return readUpdates(z.array(z.unknown()).catch([]).parse(given), bot);
    },
    confirm: null,
    // A post is repeated until it has arrived, and both ways at once are refused.
    pollEveryMs: { poll: 0, webhook: null },
    webhook: {
      register: async ({ url, secret }, signal) => {
        const to = { url, secret_token: secret, allowed_updates: updateTypes, max_connections: 10 };
        await call('setWebhook', to, signal);
      },
      problem: async ({ url }, signal) => {
        const info = webhookInfo.parse(await call('getWebhookInfo', {}, signal));
        if (info.url !== url)
          return 'Another program receives the messages of this bot. Stop it, and save this again.';
        const isRecent = needs.clock.now() - (info.last_error_date ?? 0) * 1_000 < recentMs;
        return isRecent
          ? `Telegram cannot reach this server: ${info.last_error_message ?? 'no reason given'}`
          : null;
      },
      isOwn: async ({ headers }, { secret }) => isSameSecret(String(headers[secretHeader] ?? ''), secret),
      // Without a cursor: what is posted late must not be passed over when this server asks again.
      read: (body) => {
        const [update] = readUpdates([body], requireSelf());
        return update ? { ...update, cursor: null } : null;
      },
    },
    send: async (text, { address, isPlain, buttons, signal }) => {
      const sent = {
        ...placeOf(address),
        ...replyOf(address),
        ...shownOf(text, isPlain),
        ...keyboardOf(buttons),
      };
      return String(sentMessage.parse(await call('sendMessage', sent, signal)).message_id);
    },
    sendFile: createUpload(call, 'document'),
    voice: { format: 'opus', send: createUpload(call, 'voice') },
    download,
    buttons: createButtons(call),
    // A bot may send about one message a second to a person, and 20 in a minute to a group.
    draftEveryMs: { own: 1_100, group: 3_100 },
    react: createReact(call),
    typing: async (address, signal) =>
      void (await call('sendChatAction', { ...placeOf(address), action: 'typing' }, signal)),
  };
};
