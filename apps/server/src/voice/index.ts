export { createSpeech, type SpeechService } from './speak.ts';
export {
  audioEnding,
  audioTypes,
  createTranscribe,
  VoiceError,
  type Audio,
  type Transcribe,
} from './transcribe.ts';
