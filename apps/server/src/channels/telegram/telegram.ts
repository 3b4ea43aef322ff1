import { cutText, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { Address, Button, ChannelAdapter } from '../adapter.ts';
import { PlatformError } from '../adapter.ts';
import { createTelegramApi, pollSeconds } from './api.ts';
import { toTelegramHtml } from './html.ts';
import { readUpdates, type Self } from './updates.ts';

const updatesAtOnce = 50;

const me = z.object({ id: z.int().transform(String), username: z.string() });
const addressOf = z.object({ chatId: z.string(), threadId: z.int().optional() });

const placeOf = (address: Address) => {
  const { chatId, threadId } = addressOf.parse(address);
  return { chat_id: chatId, ...(threadId !== undefined && { message_thread_id: threadId }) };
};

const messageId = z.object({ message_id: z.int() });

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

/** After a repeat, and for a message that the person has deleted. */
const isEdited = /message is not modified|message to edit not found|message can't be edited/i;

interface Needs {
  clock: Clock;
  url: string;
  token: string;
}

/** A bot of Telegram, which is asked for its messages: no address of this server is needed. Bot API 10.1. */
export const createTelegram = (needs: Needs): ChannelAdapter => {
  const call = createTelegramApi(needs);
  let self: Self | null = null;

  return {
    identify: async (signal) => {
      const parsed = me.safeParse(await call('getMe', {}, signal));
      if (!parsed.success) throw new PlatformError('refused', 'Telegram gave no name of the bot');
      self = parsed.data;
      const { username } = parsed.data;
      // A webhook of an earlier use would keep updates away.
      await call('deleteWebhook', { drop_pending_updates: false }, signal);
      const address = `https://t.me/${username}`;
      return {
        name: `@${username}`,
        link: (code) => (code === undefined ? address : `${address}?start=${code}`),
      };
    },
    poll: async (cursor, signal) => {
      if (self === null) throw new PlatformError('refused', 'The bot has no name yet');
      const given = await call(
        'getUpdates',
        {
          ...(cursor !== null && { offset: Number(cursor) }),
          limit: updatesAtOnce,
          timeout: pollSeconds,
          allowed_updates: ['message', 'callback_query'],
        },
        signal,
      );
      return readUpdates(z.array(z.unknown()).catch([]).parse(given), self);
    },
    send: async (text, { address, isPlain, buttons, signal }) => {
      const sent = { ...placeOf(address), ...shownOf(text, isPlain), ...keyboardOf(buttons) };
      return String(messageId.parse(await call('sendMessage', sent, signal)).message_id);
    },
    edit: async (id, text, { address, isPlain, signal }) => {
      const { chat_id } = placeOf(address);
      const edited = { chat_id, message_id: Number(id), ...shownOf(text, isPlain) };
      await call('editMessageText', edited, signal).catch((error: unknown) => {
        if (!(error instanceof PlatformError) || !isEdited.test(error.message)) throw error;
      });
    },
    acknowledge: async (pressId, text, signal) => {
      await call('answerCallbackQuery', { callback_query_id: pressId, text: cutText(text, 200) }, signal);
    },
    typing: async (address, signal) => {
      await call('sendChatAction', { ...placeOf(address), action: 'typing' }, signal);
    },
  };
};
