import { hasCode } from '@drawbridge/kit';
import type { LaneRequest, Lanes, Sender } from '@drawbridge/agent';
import {
  asVoiceMessage,
  audioEnding,
  codedVoiceError,
  type Audio,
  type SpeechService,
  type Transcribe,
} from '../../../voice/index.ts';
import type { RpcEvent } from '../protocol/reply.ts';

/** What was said in recordings. Throws `notAvailable`, `modelUnavailable`, and the reason of the signal. */
export const transcribeAll = async (
  transcribe: Transcribe,
  audios: readonly Audio[],
  signal: AbortSignal,
): Promise<string[]> => {
  const said: string[] = [];
  for (const audio of audios) {
    const words = await transcribe(audio, signal).catch((error: unknown) => {
      throw codedVoiceError(error);
    });
    said.push(asVoiceMessage(words));
  }
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

/** An answer as an `attachment`, before its `done`; null where it is not read out. */
export const readOut = async (
  speech: SpeechService,
  content: string,
  signal: AbortSignal,
): Promise<Pick<RpcEvent, 'event' | 'data'> | null> => {
  const said = await speech.speak(content, { format: 'mp3', signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return null;
  });
  if (said === null) return null;
  const { mediaType, bytes } = said;
  const data = bytes.toString('base64');
  return {
    event: 'attachment',
    data: { mimeType: mediaType, data, filename: `reply.${audioEnding(mediaType)}` },
  };
};
