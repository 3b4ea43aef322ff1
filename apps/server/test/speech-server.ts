import type { ServerResponse } from 'node:http';
import { formOf, openStandIn, replyJson } from './http-stand-in.ts';

type Answer = (reply: ServerResponse) => void;

/** An OpenAI-compatible API for voice, whose key is `voice-key`. */
export const openSpeechServer = async (words = 'What is the weather?') => {
  /** Audios as they came. */
  const heard: Record<string, unknown>[] = [];
  const first: Answer[] = [];
  const { url, asked, close } = await openStandIn(async (request, reply) => {
    const own = first.shift();
    if (own) return own(reply);
    if (request.headers.authorization !== 'Bearer voice-key') return replyJson(reply, {}, 401);
    if (request.path !== '/v1/audio/transcriptions') return replyJson(reply, {}, 404);
    heard.push(await formOf(request));
    return replyJson(reply, { text: words });
  });
  return {
    environment: { TRANSCRIPTION_URL: `${url}/v1/`, TRANSCRIPTION_API_KEY: 'voice-key' },
    url,
    asked,
    heard,
    close,
    /** The next requests get these answers. */
    answerFirst: (...answers: Answer[]) => first.push(...answers),
  };
};
