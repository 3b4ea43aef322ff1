import { z } from 'zod';
import { apiKey, httpUrl, setting } from '../program/setting.ts';

export const voiceConfig = z.object({
  transcriptionUrl: setting(
    'TRANSCRIPTION_URL',
    'The base URL of an OpenAI-compatible API that turns voice messages into text, such as `http://127.0.0.1:8000/v1`. Without it voice messages are not read.',
    httpUrl.optional(),
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
});

export type VoiceEnvironment = z.output<typeof voiceConfig>;
