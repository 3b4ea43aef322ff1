import { z } from 'zod';
import { apiKey, serviceUrl, setting } from '../program/setting.ts';

/** More of them would not be asked within the time of one answer. */
const mostAddresses = 5;

const list = (one: z.ZodType<string, string>, most = mostAddresses) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(one).min(1).max(most));

const speechName = z.string().min(1).max(200);

export const voiceConfig = z.object({
  transcriptionUrl: setting(
    'TRANSCRIPTION_URL',
    'The base URL of an OpenAI-compatible API that turns voice messages into text, such as `http://127.0.0.1:8000/v1`. Without it voice messages are not read.',
    serviceUrl.optional(),
  ),
  transcriptionModel: setting(
    'TRANSCRIPTION_MODEL',
    'The model for voice messages there.',
    z.string().trim().min(1).max(200).prefault('whisper-1'),
  ),
  transcriptionKey: setting(
    'TRANSCRIPTION_API_KEY',
    'The API key for that API, which is sent to its address alone.',
    apiKey.optional(),
  ),
  speechUrls: setting(
    'SPEECH_URL',
    'The base URL of an OpenAI-compatible API that reads answers out, or up to 5 with commas, which are asked in this order. Without it answers are text alone.',
    list(serviceUrl).optional(),
  ),
  speechModels: setting(
    'SPEECH_MODEL',
    'The model there; one for all, or one each.',
    list(speechName).prefault('tts-1'),
  ),
  speechVoices: setting(
    'SPEECH_VOICE',
    'The voice there; one for all, or one each.',
    list(speechName).prefault('alloy'),
  ),
  speechKeys: setting(
    'SPEECH_API_KEY',
    'The API key for each of those addresses, with commas; nothing between them for an address without one. Each goes to its own address alone.',
    list(apiKey.or(z.literal(''))).optional(),
  ),
});

export type VoiceEnvironment = z.output<typeof voiceConfig>;

/** What does not fit together; null where it does. */
export const speechProblem = ({ speechUrls = [], ...each }: VoiceEnvironment): string | null => {
  const { speechModels, speechVoices, speechKeys } = each;
  const fits = (texts: readonly string[]) => texts.length === 1 || texts.length === speechUrls.length;
  if (speechUrls.length === 0) return null;
  if (!fits(speechModels)) return 'SPEECH_MODEL: one for all addresses of SPEECH_URL, or one for each';
  if (!fits(speechVoices)) return 'SPEECH_VOICE: one for all addresses of SPEECH_URL, or one for each';
  // A key for all would be sent to addresses that it is not for.
  return speechKeys === undefined || speechKeys.length === speechUrls.length
    ? null
    : 'SPEECH_API_KEY: one for each address of SPEECH_URL, in the same order';
};
