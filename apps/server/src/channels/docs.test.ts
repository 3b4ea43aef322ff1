import { readFileSync } from 'node:fs';
import { channelKinds, platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { openAdapter } from './connections.ts';

const page = readFileSync(new URL('../../../../docs/channels.md', import.meta.url), 'utf8');
const id = '11111111-2222-3333-4444-555555555555';
/** The name of a platform on the page, and what it is opened with. */
const platforms: Record<ChannelKind, [name: string, fields: Record<string, string>]> = {
  telegram: ['Telegram', { token: `123456:${'A'.repeat(35)}` }],
  bluebubbles: ['iMessage', { url: 'http://127.0.0.1:1', password: 'password' }],
  'google-chat': ['Google Chat', { key: '{"private_key":"key","client_email":"a@b.example"}' }],
  teams: ['Microsoft Teams', { appId: id, secret: 'app secret', tenant: id }],
  gmail: [
    'Gmail',
    {
      clientId: '1-a.apps.googleusercontent.com',
      clientSecret: 'client-secret',
      refreshToken: 'refresh-token',
    },
  ],
};

it.each(channelKinds)('CH-39 the table of the page says what %s can do', async (kind) => {
  const [name, fields] = platforms[kind];
  const all = { clock: systemClock, url: '', fields, ownUrl: '', services: [], readHtml: async () => '' };
  const { buttons, voice, download, sendFile, react } = await openAdapter(kind, all);
  const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '';
  const [withButtons, spoken, ofPeople, ofAgent] = row.split(' | ').slice(3);
  expect(withButtons?.startsWith('yes')).toBe(buttons !== null);
  expect(platformOf(kind).hasButtons).toBe(buttons !== null);
  expect(spoken).toBe(voice === null ? 'no' : 'both ways');
  expect(platformOf(kind).hasVoice).toBe(voice !== null);
  expect(ofPeople).toBe(download === null ? 'no' : 'yes');
  expect(ofAgent === 'a link |').toBe(sendFile === null);
  expect(page).toContain(platformOf(kind).webhookPath);
  const { sentEmojis } = platformOf(kind);
  expect(sentEmojis.length > 0).toBe(react !== null);
  expect(page).toContain(sentEmojis.join(' '));
});
