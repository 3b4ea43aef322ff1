import { z } from 'zod';
import { setting } from '../program/setting.ts';

const botToken = z
  .string()
  .regex(/^\d{3,20}:[A-Za-z0-9_-]{30,100}$/, 'must be the token that BotFather shows, such as 123456:ABC…');

export const channelsConfig = z.object({
  telegramBotToken: setting(
    'TELEGRAM_BOT_TOKEN',
    'The token of a Telegram bot from which people talk to the agent. One that is set in the panel wins.',
    botToken.optional(),
  ),
  telegramApiUrl: setting(
    'TELEGRAM_API_URL',
    "The address of Telegram's Bot API, where it is another than Telegram's own.",
    z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_048)
      .prefault('https://api.telegram.org'),
  ),
});

export type ChannelsEnvironment = z.output<typeof channelsConfig>;
