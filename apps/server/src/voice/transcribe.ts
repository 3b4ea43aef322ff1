import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { cutText, jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createServiceFetch } from '../outside/index.ts';
import type { VoiceEnvironment } from './config-schema.ts';

/** Why an audio was not understood. The message ends a sentence for people. */
export class VoiceError extends Error {
  /** Whether nothing can understand one here. */
  readonly isOff: boolean;
  constructor(message: string, isOff = false) {
    super(message);
    this.isOff = isOff;
  }
}

export interface Audio {
  bytes: Buffer;
  /** By its bytes. */
  mediaType: string;
}

/** What was said in an audio. Throws `VoiceError`, and the reason of an aborted signal. */
export type Transcribe = (audio: Audio, signal: AbortSignal) => Promise<string>;

/** What was said, for a message that its sender has not read: it counts as their text. */
export const asVoiceMessage = (words: string): string => `[Transcription of a voice message]\n${words}`;

/** Servers know the format of a file by the end of its name. */
const endings: Record<string, string> = {
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
  'audio/flac': 'flac',
};

/** Of the name of a file of this type. */
export const audioEnding = (mediaType: string): string => endings[mediaType] ?? 'bin';

export const audioTypes: readonly string[] = Object.keys(endings);

const limits = { ms: 60_000, maxBytes: 1_024 * 1_024 };
const name = 'the transcription service';
const transcript = z.object({ text: z.string() });

const problemOf = (status: number): string =>
  status === 401 || status === 403 ? `${name} refuses its key` : `${name} failed (HTTP ${status})`;

const off: Transcribe = () =>
  Promise.reject(
    new VoiceError('voice is not understood here until the owner of the server sets TRANSCRIPTION_URL', true),
  );

interface Needs {
  clock: Clock;
  environment: VoiceEnvironment;
  /** Masks a secret in the log. */
  hide(secret: string): void;
}

/** Asks `POST /audio/transcriptions` of the API that the owner has set. */
export const createTranscribe = ({ clock, environment, hide }: Needs): Transcribe => {
  const { transcriptionUrl, transcriptionModel, transcriptionKey } = environment;
  if (transcriptionUrl === undefined) return off;
  if (transcriptionKey !== undefined) hide(transcriptionKey);
  const to = new URL(`${transcriptionUrl.replace(/\/+$/, '')}/audio/transcriptions`);
  const request = createServiceFetch({ clock, name, origin: to.origin, limits });

  return async ({ bytes, mediaType }, signal) => {
    const body = new FormData();
    const file = new Blob([new Uint8Array(bytes)], { type: mediaType });
    body.set('file', file, `voice.${audioEnding(mediaType)}`);
    body.set('model', transcriptionModel);
    body.set('response_format', 'json');
    const headers: Record<string, string> =
      transcriptionKey === undefined ? {} : { authorization: `Bearer ${transcriptionKey}` };
    const reply = await request(to, { method: 'POST', headers, body, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new VoiceError(
        error instanceof Error ? error.message.replace(/^T/, 't').replace(/\.$/, '') : `${name} failed`,
      );
    });
    if (reply.status !== 200) throw new VoiceError(problemOf(reply.status));
    const { data } = transcript.safeParse(jsonOf(reply.text));
    if (!data) throw new VoiceError(`${name} gave no text`);
    const words = data.text.trim();
    if (words === '') throw new VoiceError('no words were heard in it');
    return cutText(words, rpcLimits.messageLength);
  };
};
