import { channelMode, telegramToken } from '@drawbridge/contracts/outside/channels';
import { z } from 'zod';
import { setting } from '../program/setting.ts';

export const channelsConfig = z.object({
  telegramBotToken: setting(
    'TELEGRAM_BOT_TOKEN',
    'The token of a Telegram bot from which people talk to the agent. One that is set in the panel wins.',
    telegramToken.optional(),
  ),
  telegramMode: setting(
    'TELEGRAM_MODE',
    '`poll`: this server asks Telegram for messages. `webhook`: Telegram posts them, which needs `PUBLIC_URL` with https. The panel wins.',
    channelMode.prefault('poll'),
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
