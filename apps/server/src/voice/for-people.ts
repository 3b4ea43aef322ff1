import { maxMessageLength } from '@drawbridge/contracts/agent/threads';
import { recordingLimits, type VoiceStatus } from '@drawbridge/contracts/outside/voice';
import { createPerMinute, cutText, mediaTypeOf, type Clock } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import type { SpeechService } from './speak.ts';
import { audioTypes, VoiceError, type Transcribe } from './transcribe.ts';

interface Needs {
  clock: Clock;
  /** Whether `TRANSCRIPTION_URL` is set. */
  understands: boolean;
  transcribe: Transcribe;
  speech: SpeechService;
}

/** A `VoiceError` as an error with a code; another error as it is. */
export const codedVoiceError = (error: unknown): unknown => {
  if (!(error instanceof VoiceError)) return error;
  const message = `A voice message was not read: ${error.message}`;
  return error.isOff
    ? errors.notAvailable({ message, fix: 'Set TRANSCRIPTION_URL.' })
    : errors.modelUnavailable({ message, fix: 'Try again.' });
};

/** By its bytes. Browsers give MP4 under other names than that of a file with music. */
const recordingType = (bytes: Buffer): string =>
  bytes.toString('latin1', 4, 8) === 'ftyp' ? 'audio/mp4' : mediaTypeOf(bytes);

/** Voice in the panel, for a person who is signed in. */
export const createVoiceForPeople = ({ clock, understands, transcribe, speech }: Needs) => {
  const limit = createPerMinute({ clock, max: recordingLimits.perMinute });
  const count = (userId: string) => {
    const retryAfterSeconds = limit.use(userId);
    if (retryAfterSeconds !== null) throw errors.tooManyRequests({ retryAfterSeconds });
  };
  /** What fails after the browser has left is no failure of the server. */
  const unlessLeft = async <T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      throw signal.aborted ? errors.cancelled() : codedVoiceError(error);
    }
  };

  return {
    status: (): VoiceStatus => ({ understands, speaks: speech.isOn }),
    /**
     * The words of a recording in base64, for its person to read before they send them.
     * Throws `badRequest`, `tooManyRequests`, `notAvailable`, `modelUnavailable`.
     */
    understand: async (userId: string, data: string, signal: AbortSignal): Promise<{ text: string }> => {
      const bytes = Buffer.from(data, 'base64');
      const mediaType = recordingType(bytes);
      if (!audioTypes.includes(mediaType))
        throw errors.badRequest({
          message: 'This is no recording',
          fix: `Send one of ${audioTypes.join(', ')}.`,
        });
      count(userId);
      const text = await unlessLeft(signal, () => transcribe({ bytes, mediaType }, signal));
      return { text: cutText(text, maxMessageLength) };
    },
    /** An answer read out, in base64. Throws `tooManyRequests`, `notAvailable`, `modelUnavailable`. */
    speak: async (
      userId: string,
      text: string,
      signal: AbortSignal,
    ): Promise<{ mediaType: string; data: string }> => {
      if (!speech.isOn)
        throw errors.notAvailable({
          message: 'Answers are not read out here',
          fix: 'The owner of the server sets SPEECH_URL.',
        });
      count(userId);
      const said = await unlessLeft(signal, () => speech.speak(text, { format: 'mp3', signal }));
      if (said === null)
        throw errors.modelUnavailable({
          message: 'No speech server gave audio for this answer',
          fix: 'Try again in a minute. The log of the server says what failed.',
        });
      return { mediaType: said.mediaType, data: said.bytes.toString('base64') };
    },
  };
};

export type VoiceForPeople = ReturnType<typeof createVoiceForPeople>;
