import { expect, it } from 'vitest';
import { pairedChannel } from '../../../test/channel-world.ts';
import { macPassword, openMac } from '../../../test/bluebubbles.ts';
import { replyJson } from '../../../test/http-stand-in.ts';
import { audioOf, openSpeechServer } from '../../../test/speech-server.ts';
import { refuse } from '../../../test/telegram.ts';
import { systemClock } from '@drawbridge/kit';
import { createBlueBubbles } from '../bluebubbles/bluebubbles.ts';

const ogg = Buffer.from('OggS\0\x02 spoken words', 'latin1');
const voice = { text: undefined, voice: { file_id: 'voice/1.oga', duration: 3 } };

const spokenChannel = async (more: Record<string, string> = {}) => {
  const speech = await openSpeechServer();
  const all = await pairedChannel(() => ({ text: 'It is **warm**.' }), {
    ...speech.environment,
    ...speech.speech,
    ...more,
  });
  all.telegram.files.set('voice/1.oga', ogg);
  const setSpeak = (speak: 'voice' | 'always' | 'never') =>
    all.channels.senders.update.mutate({
      kind: 'telegram',
      senderId: '77',
      name: 'Alice',
      groups: [],
      usesMemory: false,
      answers: 'off',
      speak,
    });
  return { ...all, speech, setSpeak };
};

const warm = 'It is <strong>warm</strong>.';

it('CH-28 a voice message is answered by text and then by voice, as the person has set it', async () => {
  const { telegram, speech, setSpeak, server } = await spokenChannel();
  telegram.say('', voice);
  await expect.poll(() => telegram.voices.length).toBe(1);
  const file = { name: 'reply.ogg', type: 'audio/ogg', text: audioOf('opus').toString('latin1') };
  expect(telegram.voices).toEqual([{ chat_id: '77', voice: file }]);
  expect(telegram.texts()).toEqual([warm]);
  expect(speech.spoken).toEqual([
    { model: 'tts-1', voice: 'alloy', input: 'It is warm.', response_format: 'opus' },
  ]);
  const sentMethods = telegram.asked.map(({ path }) => path.split('/').at(-1));
  expect(sentMethods.indexOf('sendMessage')).toBeLessThan(sentMethods.indexOf('sendVoice'));

  telegram.say('And now?');
  await expect.poll(() => telegram.texts().length).toBe(2);
  await setSpeak('always');
  telegram.say('And then?');
  await expect.poll(() => telegram.voices.length).toBe(2);
  // A command has no run, and is not read out.
  telegram.say('/whoami');
  await expect.poll(() => telegram.texts().length).toBe(4);
  await setSpeak('never');
  telegram.say('', voice);
  await expect.poll(() => telegram.texts().length).toBe(5);
  telegram.say('/whoami');
  await expect.poll(() => telegram.texts().length).toBe(6);
  expect(telegram.voices).toHaveLength(2);
  expect(speech.spoken).toHaveLength(2);
  expect(server.log.join('')).not.toContain('voice-key');
});

it('CH-28 no text waits for speech, and the text comes where no address gives any', async () => {
  const { telegram, speech } = await spokenChannel();
  speech.answerFirst(
    (reply) => replyJson(reply, { text: 'Now?' }),
    () => undefined,
  );
  telegram.say('', voice);
  await expect.poll(() => speech.asked.filter(({ path }) => path.endsWith('/speech')).length).toBe(1);
  expect(telegram.texts()).toEqual([warm]);
  telegram.say('Hello?');
  await expect.poll(() => telegram.texts()).toEqual([warm, warm]);
  expect(telegram.voices).toEqual([]);
});

it('CH-28 speech that fails is no message; one that Telegram asks to wait for is made once', async () => {
  const { telegram, speech, setSpeak, server } = await spokenChannel();
  await setSpeak('always');
  telegram.answerFirst('sendVoice', refuse(429, 'Too Many Requests', { retry_after: 0 }));
  telegram.say('Hello?');
  await expect.poll(() => telegram.voices.length).toBe(1);
  expect(speech.spoken).toHaveLength(1);
  speech.answerFirst((reply) => replyJson(reply, {}, 500));
  telegram.say('Hello?');
  await expect.poll(() => server.log.join('')).toContain('Speech: ');
  telegram.say('Hello?');
  await expect.poll(() => telegram.texts()).toEqual([warm, warm, warm]);
  expect(telegram.voices).toHaveLength(1);
});

it('CH-28 iMessage gets the voice as an audio message', async () => {
  const mac = await openMac();
  const { voice: out } = createBlueBubbles({
    clock: systemClock,
    fields: { url: mac.url, password: macPassword },
  });
  const { signal } = new AbortController();
  const file = { name: 'reply.mp3', mediaType: 'audio/mpeg', bytes: Buffer.from(audioOf(out?.format)) };
  await out?.send(file, { id: 'a', address: { chatGuid: 'iMessage;-;+1' }, signal });
  expect(mac.asked.at(-1)?.body).toContain('name="isAudioMessage"\r\n\r\ntrue');
});
