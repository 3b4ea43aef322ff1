export { audioTypes, createTranscribe, VoiceError, type Audio, type Transcribe } from './transcribe.ts';
