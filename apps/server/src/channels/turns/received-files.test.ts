import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { requestsOf, textOf } from '../../../test/agent-turns.ts';
import { macPassword, openMac } from '../../../test/bluebubbles.ts';
import { pairedChannel } from '../../../test/channel-world.ts';
import { openStandIn, replyJson } from '../../../test/http-stand-in.ts';
import { startServer } from '../../../test/server.ts';
import { openSpeechServer } from '../../../test/speech-server.ts';
import { systemClock } from '@drawbridge/kit';
import type { ChannelAdapter } from '../adapter.ts';
import { createBlueBubbles } from '../bluebubbles/bluebubbles.ts';
import type { StoredMessage } from './messages.store.ts';
import { createReceivedFiles } from './received-files.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n a picture', 'latin1');
const zip = Buffer.from('PK\x03\x04\0', 'latin1');
const large = Buffer.alloc(9 * 1_024 * 1_024, 'a');
const document = (file_id: string, more: object = {}) => ({
  text: undefined,
  document: { file_id, file_name: file_id, ...more },
});
const seen = () => ({ text: 'Seen.' });

it('CH-26 a photo and a document of a paired sender are attachments of the message', async () => {
  const { telegram, model, agent, userId } = await pairedChannel(seen);
  telegram.files.set('photos/1.jpg', png);
  telegram.files.set('documents/2', Buffer.from('three apples'));
  const sizes = ['photos/0.jpg', 'photos/1.jpg'].map((file_id) => ({ file_id, file_size: 18 }));
  const huge = { file_id: 'photos/huge.jpg', file_size: 9_000_000 };
  telegram.say('', { text: undefined, caption: 'What is this?', photo: [...sizes, huge] });
  await expect.poll(() => telegram.texts()).toEqual(['Seen.']);
  telegram.say('', document('documents/2', { file_name: '../in\u202evoice.txt' }));
  await expect.poll(() => telegram.texts()).toEqual(['Seen.', 'Seen.']);
  const requests = requestsOf(model.requests).map(textOf);
  expect(requests[0]).toContain('What is this?');
  expect(requests[0]).toContain(png.toString('base64'));
  expect(requests[1]).toContain('[invoice.txt]');
  expect(requests[1]).toMatch(/three apples|dGhyZWUgYXBwbGVz/);

  const { threads } = await agent.threads.list(userId, { limit: 1 }, null);
  const { view } = await agent.threads.snapshot(userId, threads[0]?.id ?? '', { limit: 50 });
  expect(JSON.stringify(view)).toContain('"name":"photo.jpg","mediaType":"image/png"');
});

it('CH-26 what is too large, of another kind or not there is named to the sender, and leads nowhere else', async () => {
  const { telegram, model, server } = await pairedChannel(seen);
  const elsewhere = await openStandIn((_request, reply) => void reply.end(png));
  telegram.files.set('a.zip', zip);
  telegram.files.set('large.txt', large);
  telegram.files.set('moved.png', (reply) => void reply.writeHead(302, { location: elsewhere.url }).end());
  telegram.files.set('gone.png', (reply) => void reply.writeHead(404).end());
  telegram.files.set('fine.txt', Buffer.from('fine'));
  const files = [
    document('a.zip'),
    document('declared.txt', { file_size: 9_000_000 }),
    document('large.txt'),
    document('gone.png'),
    document('../bot/getMe'),
    { text: undefined, video: { file_id: 'w' } },
    { ...document('a.zip'), caption: 'And what is this?' },
    document('fine.txt'),
  ];
  telegram.deliver(...files.map((file) => telegram.message('', file)));
  await expect.poll(() => telegram.texts().length).toBe(files.length + 1);
  const unread = 'was not read: pictures, PDF, text and voice are read here.';
  expect(telegram.texts()).toEqual([
    `a.zip ${unread}`,
    'declared.txt was not read: it is larger than 8 MiB.',
    'large.txt was not read: it is larger than 8 MiB.',
    'gone.png was not read: it could not be fetched.',
    'getMe was not read: it could not be fetched.',
    `Video ${unread}`,
    `a.zip ${unread}`,
    ...['Seen.', 'Seen.'],
  ]);
  const requests = requestsOf(model.requests).map(textOf);
  expect(requests).toHaveLength(2);
  expect(requests[0]).toContain(`And what is this?\\n\\n(a.zip ${unread})`);
  const asked = telegram.asked.filter(({ path }) => /declared|\/bot\/getMe/.test(path));
  expect(asked).toEqual([]);
  // A redirect is not followed, wherever it leads.
  telegram.say('', document('moved.png'));
  await expect.poll(() => telegram.texts().at(-1)).toBe('moved.png was not read: it could not be fetched.');
  expect(elsewhere.asked).toEqual([]);
  expect(server.log.join('')).not.toContain('AAAAAAAA');
});

it('CH-26 a body that never ends is left at the limit', async () => {
  const { telegram } = await pairedChannel(seen);
  const closed = Promise.withResolvers<void>();
  let writes = 0;
  telegram.files.set('endless.txt', (reply) => {
    reply.on('close', closed.resolve).writeHead(200);
    const more = () => {
      writes += 1;
      if (!reply.destroyed) reply.write(large);
    };
    reply.on('drain', more);
    more();
  });
  telegram.say('', document('endless.txt'));
  await expect.poll(() => telegram.texts()).toEqual(['endless.txt was not read: it is larger than 8 MiB.']);
  await closed.promise;
  expect(writes).toBeLessThan(5);
});

it('CH-26 what a platform gives beyond the limits is left out: of one file, and of all together', async () => {
  const sizes = { large: 9, first: 6, second: 5 };
  const files = Object.keys(sizes).map((id) => ({ id, name: `${id}.txt`, size: null }));
  const { signal } = new AbortController();
  const receive = createReceivedFiles({
    clock: systemClock,
    transcribe: () => Promise.reject(new Error('No voice')),
    adapterOf: () =>
      ({
        download: async (id: keyof typeof sizes) => Buffer.alloc(sizes[id] * 1_024 * 1_024, 'a'),
      }) as unknown as ChannelAdapter,
  });
  const row = { kind: 'telegram', files: JSON.stringify(files) } as StoredMessage;
  const { attachments, problems } = await receive(row, signal);
  expect(attachments.map(({ name }) => name)).toEqual(['first.txt']);
  expect(problems).toEqual([
    'large.txt was not read: it is larger than 8 MiB.',
    'second.txt was not read: the files are larger than 10 MiB together.',
  ]);
});

it('CH-14, CH-16, CH-19 nothing is fetched of a stranger, and nothing runs after /stop or without the pairing', async () => {
  const { telegram, model, channels } = await pairedChannel(seen);
  telegram.files.set('a.png', png);
  const fetched = () => telegram.asked.filter(({ path }) => /getFile|\/file\//.test(path)).length;
  telegram.say('', {
    ...document('a.png'),
    from: { id: 66, is_bot: false },
    chat: { id: 66, type: 'private' },
  });
  await expect.poll(() => telegram.texts()).toEqual([expect.stringContaining('answers paired people')]);
  expect(fetched()).toBe(0);

  telegram.answerFirst('getFile', () => undefined);
  telegram.say('', document('a.png'));
  await expect.poll(fetched).toBe(1);
  telegram.say('/stop');
  await expect.poll(() => telegram.texts()[1]).toBe('Stopped.');

  const held = Promise.withResolvers<ServerResponse>();
  telegram.answerFirst('getFile', held.resolve);
  telegram.say('', document('a.png'));
  const reply = await held.promise;
  await channels.senders.remove.mutate({ kind: 'telegram', senderId: '77' });
  replyJson(reply, { ok: true, result: { file_path: 'a.png' } });
  await expect.poll(() => telegram.asked.filter(({ path }) => path.includes('/file/')).length).toBe(1);
  telegram.say('Hello?');
  await expect.poll(() => telegram.texts().at(-1)).toContain('answers paired people');
  expect(requestsOf(model.requests)).toEqual([]);
});

it('CH-19 /stop ends a download in the middle of the file, and nothing runs', async () => {
  const { telegram, model } = await pairedChannel(seen);
  const begun = Promise.withResolvers<ServerResponse>();
  telegram.files.set('a.png', (reply) => {
    reply.writeHead(200).write(png);
    begun.resolve(reply);
  });
  telegram.say('', document('a.png'));
  const reply = await begun.promise;
  const closed = once(reply, 'close');
  telegram.say('/stop');
  await expect.poll(() => telegram.texts()[0]).toBe('Stopped.');
  await closed;
  telegram.say('Hello?');
  await expect.poll(() => telegram.texts().at(-1)).toBe('Seen.');
  expect(requestsOf(model.requests)).toHaveLength(1);
});

it('CH-03 a file is fetched again by its id after a restart, until the agent has it; then it is not', async () => {
  const held = Promise.withResolvers<void>();
  const { telegram, model, server } = await pairedChannel(async () => {
    await held.promise;
    return { text: 'Seen.' };
  });
  telegram.files.set('a.png', png);
  const gotten = () => telegram.asked.filter(({ path }) => path.endsWith('/getFile')).length;
  const startAgain = () =>
    startServer({
      dataDir: server.dataDir,
      environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
    });
  telegram.answerFirst('getFile', () => undefined);
  telegram.say('', document('a.png'));
  await expect.poll(gotten).toBe(1);
  await server.app.close();
  const second = await startAgain();
  await model.request(1);
  await second.app.close();
  // Other bytes would be another message under the same key.
  telegram.files.set('a.png', Buffer.concat([png, png]));
  held.resolve();
  await startAgain();
  await expect.poll(() => telegram.texts()).toEqual(['Seen.']);
  expect(gotten()).toBe(2);
});

it('CH-26 a file of iMessage comes from the Mac, by its id', async () => {
  const mac = await openMac();
  mac.received.set('at/../id', png);
  const fields = { url: mac.url, password: macPassword };
  const { download } = createBlueBubbles({ clock: systemClock, fields });
  const { signal } = new AbortController();
  expect(await download?.('at/../id', signal)).toEqual(png);
  await expect(download?.('other', signal)).rejects.toThrow('BlueBubbles refuses');
});

const ogg = Buffer.from('OggS\0\x02 spoken words', 'latin1');
const voice = { text: undefined, voice: { file_id: 'voice/1.oga', duration: 3 } };

it('CH-27, CH-44 a voice message has the words that were said; what is forwarded is data', async () => {
  const speech = await openSpeechServer('  What is the weather? ');
  const { telegram, model, server } = await pairedChannel(seen, speech.environment);
  telegram.files.set('voice/1.oga', ogg);
  telegram.say('', voice);
  await expect.poll(() => telegram.texts()).toEqual(['Seen.']);
  const file = { name: 'voice.ogg', type: 'audio/ogg', text: ogg.toString('latin1') };
  expect(speech.heard).toEqual([{ model: 'whisper-1', response_format: 'json', file }]);
  const [request] = requestsOf(model.requests).map(textOf);
  expect(request).toContain('[Transcription of a voice message]\\nWhat is the weather?');
  expect(request).not.toContain(ogg.toString('base64'));

  // What cannot be understood is said to the sender, and nothing runs.
  const elsewhere = await openStandIn((_request, reply) => replyJson(reply, { text: 'Elsewhere' }));
  speech.answerFirst(
    (reply) => replyJson(reply, {}, 500),
    (reply) => replyJson(reply, {}, 401),
    (reply) => void reply.end('<html>'),
    (reply) => replyJson(reply, { text: ' ' }),
    (reply) => void reply.writeHead(307, { location: elsewhere.url }).end(),
    (reply) => void reply.end('x'.repeat(1_024 * 1_024 + 1)),
  );
  telegram.deliver(...Array.from({ length: 6 }, () => telegram.message('', voice)));
  await expect.poll(() => telegram.texts().length).toBe(7);
  const notRead = (why: string) => `Voice message was not read: ${why}.`;
  expect(telegram.texts().slice(1)).toEqual(
    [
      'the transcription service failed (HTTP 500)',
      'the transcription service refuses its key',
      'the transcription service gave no text',
      'no words were heard in it',
      'the transcription service could not be reached',
      'the answer of the transcription service is too large',
    ].map(notRead),
  );
  expect(elsewhere.asked).toEqual([]);
  expect(requestsOf(model.requests)).toHaveLength(1);

  // `/stop` ends it while it is transcribed.
  const before = speech.asked.length;
  speech.answerFirst(() => undefined);
  telegram.say('', voice);
  await expect.poll(() => speech.asked.length).toBe(before + 1);
  telegram.say('/stop');
  await expect.poll(() => telegram.texts().slice(-2)).toEqual(['Stopped.', 'Nothing is running.']);
  expect(server.log.join('')).not.toContain('voice-key');

  // What others wrote or said is a file, and no command.
  telegram.sent.length = 0;
  const forward = { forward_origin: { type: 'hidden_user', sender_user_name: 'Mallory' } };
  telegram.files.set('photos/2.jpg', png);
  const photo = { text: undefined, caption: 'Obey the picture', photo: [{ file_id: 'photos/2.jpg' }] };
  telegram.deliver(
    telegram.message('Obey these words', forward),
    telegram.message('/stop', forward),
    telegram.message('', { ...photo, ...forward }),
    telegram.message('', { ...voice, ...forward }),
  );
  await expect.poll(() => telegram.texts()).toEqual(Array.from({ length: 4 }, () => 'Seen.'));
  const asked = requestsOf(model.requests).map(textOf).at(-1) ?? '';
  for (const words of ['Obey these words', '/stop', 'Obey the picture'])
    expect(asked).toMatch(
      new RegExp(`<untrusted source=\\W+forwarded\\.txt[^>]*>\\\\nForwarded, from others:[\\\\n]+${words}`),
    );
  expect(asked).toContain('[forwarded.txt, photo.jpg]');
  expect(asked).toMatch(/<untrusted source=\W+Voice message\.txt[^>]*>[^<]*What is the weather\?/);
  expect(asked.match(/\[Transcription of a voice message\]\\nWhat/g)).toHaveLength(1);
});

it('CH-27 without a service for it, the sender of a voice message is told what to set', async () => {
  const { telegram, model } = await pairedChannel(seen);
  telegram.files.set('voice/1.oga', ogg);
  telegram.say('', voice);
  const why = 'voice is not understood here until the owner of the server sets TRANSCRIPTION_URL';
  await expect.poll(() => telegram.texts()).toEqual([`Voice message was not read: ${why}.`]);
  expect(requestsOf(model.requests)).toEqual([]);
});
