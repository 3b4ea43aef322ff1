import { recordingLimits } from '@drawbridge/contracts/outside/voice';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { replyJson } from '../../../../test/http-stand-in.ts';
import { paired } from '../../../../test/paired.ts';
import { audioOf, openSpeechServer } from '../../../../test/speech-server.ts';

const recorded = (start: string, bytes = 0) =>
  Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(bytes)]).toString('base64');
const webm = recorded('\x1a\x45\xdf\xa3 spoken');
const mebibyte = 1_024 * 1_024;

it('CH-40 a recording becomes its words for the person to read, and goes nowhere else', async () => {
  const service = await openSpeechServer('/stop all of it');
  const { panel, server, cookie } = await paired(service.environment);
  expect(await panel.voice.status.query()).toEqual({ understands: true, speaks: false });
  // As it was said: the person reads it, and sends it as a message or as a command.
  expect(await panel.voice.understand.mutate({ data: webm })).toEqual({ text: '/stop all of it' });
  // Browsers write MP4 under other names than that of music.
  await panel.voice.understand.mutate({ data: recorded('\0\0\0\x1cftypiso5') });
  expect(service.heard).toMatchObject([
    { file: { name: 'voice.webm', type: 'audio/webm' }, model: 'whisper-1' },
    { file: { name: 'voice.m4a', type: 'audio/mp4' } },
  ]);
  const large = recorded('OggS\0\x02', recordingLimits.bytes - 6);
  expect(await panel.voice.understand.mutate({ data: large })).toEqual({ text: '/stop all of it' });

  const refused = [
    [{ data: recorded('OggS\0\x02', recordingLimits.bytes) }, 'BAD_REQUEST'],
    [{ data: recorded('\x89PNG\r\n\x1a\n') }, 'BAD_REQUEST'],
    [{ data: recorded('#!/bin/sh') }, 'BAD_REQUEST'],
    [{ data: '' }, 'BAD_REQUEST'],
  ] as const;
  for (const [input, code] of refused)
    await expect(panel.voice.understand.mutate(input)).rejects.toMatchObject({ data: { code } });
  // A large body needs a session.
  const body = { data: recorded('OggS', 5 * mebibyte) };
  const stranger = await server.send('/trpc/voice.understand', { method: 'POST', body });
  expect(stranger.status).toBe(401);
  expect(service.heard).toHaveLength(3);

  service.answerFirst((reply) => replyJson(reply, { secret: 'inside' }, 500));
  await expect(panel.voice.understand.mutate({ data: webm })).rejects.toMatchObject({
    message: 'A voice message was not read: the transcription service failed (HTTP 500)',
    data: { code: 'MODEL_UNAVAILABLE' },
  });
  // The browser leaves: the service is not waited for.
  const left = Promise.withResolvers<void>();
  service.answerFirst((reply) => void reply.on('close', () => left.resolve()));
  const asked = service.asked.length;
  const ending = new AbortController();
  const said = panel.voice.understand.mutate({ data: webm }, { signal: ending.signal });
  await expect.poll(() => service.asked.length).toBe(asked + 1);
  ending.abort();
  await expect(said).rejects.toThrow();
  await left.promise;
  expect((await server.send('/trpc/voice.status', { headers: { cookie } })).status).toBe(200);
});

it('CH-40 an answer is read out as it is shown, by the addresses of the owner alone', async () => {
  const service = await openSpeechServer();
  const { panel } = await paired(service.speech);
  expect(await panel.voice.status.query()).toEqual({ understands: false, speaks: true });
  const said = await panel.voice.speak.mutate({ text: 'It is **warm**. `rm`' });
  expect(said).toEqual({ mediaType: 'audio/mpeg', data: audioOf('mp3').toString('base64') });
  expect(service.spoken.map(({ input }) => input)).toEqual(['It is warm. rm']);
  const tooLong = 'x'.repeat(recordingLimits.answerLength + 1);
  for (const text of ['', ' ', tooLong])
    await expect(panel.voice.speak.mutate({ text })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } });
  // A page is no audio, whatever it says it is.
  service.answerFirst((reply) => void reply.writeHead(200, { 'content-type': 'audio/mpeg' }).end('<html>'));
  await expect(panel.voice.speak.mutate({ text: 'Warm.' })).rejects.toMatchObject({
    data: { code: 'MODEL_UNAVAILABLE', fix: expect.stringContaining('log') },
  });
});

it('CH-40 without an address for it, voice is refused with what to set; and 20 times a minute are enough', async () => {
  const { panel } = await paired();
  expect(await panel.voice.status.query()).toEqual({ understands: false, speaks: false });
  await expect(panel.voice.understand.mutate({ data: webm })).rejects.toMatchObject({
    data: { code: 'NOT_AVAILABLE', fix: 'Set TRANSCRIPTION_URL.' },
  });
  await expect(panel.voice.speak.mutate({ text: 'x' })).rejects.toMatchObject({
    data: { code: 'NOT_AVAILABLE', fix: expect.stringContaining('SPEECH_URL') },
  });

  const service = await openSpeechServer();
  const clock = createFakeClock();
  const other = await paired({ ...service.environment, ...service.speech }, clock);
  const both = (at: number) =>
    at % 2 === 0
      ? other.panel.voice.understand.mutate({ data: webm })
      : other.panel.voice.speak.mutate({ text: 'x' });
  for (let at = 0; at < recordingLimits.perMinute; at += 1) await both(at);
  for (const at of [0, 1])
    await expect(both(at)).rejects.toMatchObject({ data: { code: 'TOO_MANY_REQUESTS' } });
  clock.advance(60_000);
  await both(0);
  expect(service.asked).toHaveLength(recordingLimits.perMinute + 1);
});
