import type { ServerResponse } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { use } from '../../../test/agent-turns.ts';
import { macPassword, openMac } from '../../../test/bluebubbles.ts';
import { pairedChannel, type Turns } from '../../../test/channel-world.ts';
import { headerOf, openGmail } from '../../../test/gmail.ts';
import { replyJson } from '../../../test/http-stand-in.ts';
import { openTeams, teamsApp } from '../../../test/teams.ts';
import { refuse } from '../../../test/telegram.ts';
import { createBlueBubbles } from '../bluebubbles/bluebubbles.ts';
import { createGmail } from '../gmail/gmail.ts';
import { createTeams } from '../teams/teams.ts';

const note = { artifactId: 'plan', type: 'note', content: { markdown: '# Plan' } };
const send = use('send_file', { from: 'canvas', path: 'plan', name: 'my plan.md' });

const turns: Turns = (_request, number) =>
  [
    use('canvas_put', note),
    ...[send, { text: 'Here it is.' }, send, { text: 'Again.' }, send, { text: 'The last.' }],
  ][number - 1] ?? { text: 'End.' };

const document = {
  chat_id: '77',
  document: { name: 'my plan.md', type: 'text/markdown', text: '# Plan' },
};
const inPanel = expect.stringMatching(/^my plan\.md is in Drawbridge: .*\/chat\//);

it('CH-29 a file of the agent comes behind the text, as itself or as a link', async () => {
  const { telegram, agent, userId } = await pairedChannel(turns);
  // Another try after the platform has asked to wait.
  telegram.answerFirst('sendDocument', refuse(429, 'Too Many Requests', { retry_after: 0 }));
  telegram.say('Write a plan');
  await expect.poll(() => telegram.documents).toEqual([document]);
  expect(telegram.texts()).toEqual(['Here it is.']);

  telegram.answerFirst('sendDocument', refuse(400, 'Bad Request: file is too big'));
  telegram.say('Once more');
  await expect.poll(() => telegram.texts()).toEqual(['Here it is.', 'Again.', inPanel]);
  expect(telegram.documents).toHaveLength(1);
  const { threads } = await agent.threads.list(userId, { limit: 1 }, null);
  const threadId = threads[0]?.id ?? '';
  expect(telegram.texts().at(-1)).toContain(threadId);

  // A file that is gone before it is sent keeps no other reply from being sent.
  const held = Promise.withResolvers<ServerResponse>();
  telegram.answerFirst('sendMessage', held.resolve);
  telegram.say('And once more');
  const reply = await held.promise;
  await agent.threads.remove(userId, threadId);
  replyJson(reply, { ok: true, result: { message_id: 99 } });
  await expect.poll(() => telegram.texts()).toEqual(['Here it is.', 'Again.', inPanel, inPanel]);
});

it('CH-29 a run that only sends a file has no text in the chat; without one it is done', async () => {
  const { telegram } = await pairedChannel(
    (_request, number) =>
      [use('canvas_put', note), send, {}, use('canvas_put', note), {}, {}][number - 1] ?? {},
  );
  telegram.say('Send me the plan');
  await expect.poll(() => telegram.documents).toEqual([document]);
  telegram.say('Write it again');
  await expect.poll(() => telegram.texts()).toEqual(['Done.']);
  telegram.say('And now?');
  await expect.poll(() => telegram.texts()).toEqual(['Done.', '(no answer)']);
});

const to = { id: 'r1', signal: new AbortController().signal };
const png = { name: 'a.png', mediaType: 'image/png', bytes: Buffer.from('\x89PNG', 'latin1') };

it('CH-29 iMessage gets a file as it is', async () => {
  const mac = await openMac();
  const fields = { url: mac.url, password: macPassword };
  const { sendFile } = createBlueBubbles({ clock: systemClock, fields });
  expect(await sendFile?.(png, { ...to, address: { chatGuid: 'iMessage;-;+1' } })).toBe('file 1');
  expect(mac.files).toEqual([
    {
      chatGuid: 'iMessage;-;+1',
      tempGuid: expect.stringMatching(/^temp-[0-9a-f]{32}$/),
      name: 'a.png',
      method: 'apple-script',
      attachment: { name: 'a.png', type: 'image/png', text: '\x89PNG' },
    },
  ]);
});

it('CH-29 Teams gets a small picture in the message, and nothing else', async () => {
  const teams = await openTeams();
  const { id: appId, secret, tenant } = teamsApp;
  const { sendFile } = createTeams({
    clock: systemClock,
    url: teams.url,
    fields: { appId, secret, tenant },
    ownUrl: 'https://drawbridge.example',
    services: [teams.url],
  });
  const address = { serviceUrl: `${teams.url}/amer/`, conversationId: 'c1' };
  expect(await sendFile?.(png, { ...to, address })).toEqual(expect.any(String));
  const large = { ...png, bytes: Buffer.alloc(1_024 * 1_024 + 1) };
  expect(await sendFile?.(large, { ...to, address })).toBeNull();
  expect(await sendFile?.({ ...png, mediaType: 'image/webp' }, { ...to, address })).toBeNull();
  expect(teams.sent).toEqual([
    {
      type: 'message',
      attachments: [
        { contentType: 'image/png', contentUrl: 'data:image/png;base64,iVBORw==', name: 'a.png' },
      ],
    },
  ]);
});

it('CH-29 Gmail gets a file as a mail in the thread, once', async () => {
  const gmail = await openGmail(systemClock);
  const { sendFile } = createGmail({
    clock: systemClock,
    url: gmail.environment.GOOGLE_API_URL,
    fields: {
      clientId: gmail.environment.GMAIL_CLIENT_ID,
      clientSecret: gmail.environment.GMAIL_CLIENT_SECRET,
      refreshToken: gmail.environment.GMAIL_REFRESH_TOKEN,
    },
    ownUrl: 'https://drawbridge.example',
    readHtml: async (html) => html,
  });
  const thread = {
    to: 'alice@example.com',
    subject: 'A file',
    threadId: 'b1',
    messageId: '<a1@example.com>',
  };
  const address = { ...thread, references: ['<a1@example.com>'], hosts: [] };
  const name = 'Gr\u00fc\u00dfe"\r\nBcc: mallory@evil.example\r\n.png';
  expect(await sendFile?.({ ...png, name }, { ...to, address })).toEqual(expect.any(String));
  // The answer was lost: Gmail has the mail.
  await sendFile?.({ ...png, name }, { ...to, address });
  expect(gmail.sent).toHaveLength(1);
  const [{ headers = [], threadId, files } = { files: [] }] = gmail.sent;
  expect(threadId).toBe('b1');
  expect(headerOf(headers, 'to')).toBe('alice@example.com');
  expect(headerOf(headers, 'in-reply-to')).toBe('<a1@example.com>');
  expect(headerOf(headers, 'bcc')).toBeUndefined();
  expect(files).toEqual([{ name: expect.stringMatching(/^Gr\u00fc\u00dfe.*\.png$/s), bytes: png.bytes }]);
});
