import type { ServerResponse } from 'node:http';
import { formOf, openStandIn, replyJson } from './http-stand-in.ts';

type Answer = (reply: ServerResponse) => void;

/** As the speech server gives it. */
export const audioOf = (format: string | undefined): Buffer =>
  Buffer.from(format === 'opus' ? 'OggS\0\x02 opus' : 'ID3\x04 mp3', 'latin1');

/** An OpenAI-compatible API for voice, whose key is `voice-key`. */
export const openSpeechServer = async (words = 'What is the weather?') => {
  /** Audios as they came. */
  const heard: Record<string, unknown>[] = [];
  const first: Answer[] = [];
  const spoken: Record<'model' | 'voice' | 'input' | 'response_format', string>[] = [];
  const { url, asked, close } = await openStandIn(async (request, reply) => {
    const own = first.shift();
    if (own) return own(reply);
    if (request.headers.authorization !== 'Bearer voice-key') return replyJson(reply, {}, 401);
    if (request.path === '/v1/audio/speech') {
      spoken.push(JSON.parse(request.body));
      return void reply.end(audioOf(spoken.at(-1)?.response_format));
    }
    if (request.path !== '/v1/audio/transcriptions') return replyJson(reply, {}, 404);
    heard.push(await formOf(request));
    return replyJson(reply, { text: words });
  });
  return {
    environment: { TRANSCRIPTION_URL: `${url}/v1/`, TRANSCRIPTION_API_KEY: 'voice-key' },
    url,
    asked,
    heard,
    /** What was read out. */
    spoken,
    /** Settings for speech, with this server as the one address. */
    speech: { SPEECH_URL: `${url}/v1`, SPEECH_API_KEY: 'voice-key' },
    close,
    /** The next requests get these answers. */
    answerFirst: (...answers: Answer[]) => first.push(...answers),
  };
};
