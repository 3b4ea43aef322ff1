export { codedVoiceError, createVoiceForPeople, type VoiceForPeople } from './for-people.ts';
export { createSpeech, type SpeechService } from './speak.ts';
export {
  audioEnding,
  asVoiceMessage,
  audioTypes,
  createTranscribe,
  VoiceError,
  type Audio,
  type Transcribe,
} from './transcribe.ts';
