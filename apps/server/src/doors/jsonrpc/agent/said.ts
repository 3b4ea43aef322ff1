import { hasCode } from '@drawbridge/kit';
import type { LaneRequest, Lanes, Sender } from '@drawbridge/agent';
import { errors } from '../../../errors.ts';
import { VoiceError, type Audio, type Transcribe } from '../../../voice/index.ts';

/** What was said in recordings. Throws `notAvailable`, `modelUnavailable`, and the reason of the signal. */
export const transcribeAll = async (
  transcribe: Transcribe,
  audios: readonly Audio[],
  signal: AbortSignal,
): Promise<string[]> => {
  const said: string[] = [];
  for (const audio of audios)
    said.push(
      await transcribe(audio, signal).catch((error: unknown) => {
        if (!(error instanceof VoiceError)) throw error;
        const message = `A voice message was not read: ${error.message}`;
        throw error.isOff
          ? errors.notAvailable({ message, fix: 'Set TRANSCRIPTION_URL.' })
          : errors.modelUnavailable({ message, fix: 'Try again.' });
      }),
    );
  return said;
};

/** The request of that key; undefined without one. */
export const findRequest = async (
  lanes: Lanes,
  sender: Sender,
  { threadId, key }: { threadId: string; key: string | undefined },
): Promise<LaneRequest | undefined> => {
  if (key === undefined) return undefined;
  return lanes.find(sender, threadId, key).catch((error: unknown) => {
    if (!hasCode(error, 'NOT_FOUND')) throw error;
    return undefined;
  });
};
