import { recordingLimits } from '@drawbridge/contracts/outside/voice';
import { systemClock } from '@drawbridge/kit';
import { onScopeDispose, ref } from 'vue';
import { attempt, useApi, type Failure } from '../../../api/index.ts';
import { attachmentOf } from '../files/attachments.ts';
import { openMicrophone, recordedType } from './open-microphone.ts';

interface Needs {
  /** What was said. */
  onWords(text: string): void;
  onFailure(failure: Failure): void;
}

/** Records, one time after another. Each recording becomes text, unless it is cancelled. */
export const useRecorder = ({ onWords, onFailure }: Needs) => {
  const api = useApi();
  const state = ref<'idle' | 'asking' | 'recording' | 'understanding'>('idle');
  const elapsedMs = ref(0);
  let ending = new AbortController();
  let recorder: MediaRecorder | null = null;

  const stop = () => {
    if (recorder?.state === 'recording') recorder.stop();
  };

  /** Resolves to what was recorded until `stop`. Throws the reason of the signal. */
  const record = async (stream: MediaStream, signal: AbortSignal): Promise<Blob> => {
    const mimeType = recordedType();
    const chunks: Blob[] = [];
    let stopClock = () => {};
    try {
      signal.throwIfAborted();
      const now = new MediaRecorder(stream, {
        audioBitsPerSecond: recordingLimits.bitsPerSecond,
        ...(mimeType !== undefined && { mimeType }),
      });
      recorder = now;
      now.addEventListener('dataavailable', ({ data }) => chunks.push(data));
      const ended = new Promise<void>((resolve, reject) => {
        now.addEventListener('stop', () => resolve());
        now.addEventListener('error', () => reject(new Error('The recording was interrupted')));
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      now.start();
      // The panel's clock follows the server's, and may jump.
      const startedAt = systemClock.now();
      elapsedMs.value = 0;
      state.value = 'recording';
      stopClock = systemClock.every(250, () => {
        elapsedMs.value = systemClock.now() - startedAt;
        if (elapsedMs.value >= recordingLimits.ms) stop();
      });
      await ended;
    } finally {
      stopClock();
      for (const track of stream.getTracks()) track.stop();
    }
    return new Blob(chunks);
  };

  const understand = async (recorded: Blob, signal: AbortSignal): Promise<string> => {
    if (recorded.size === 0) throw new Error('Nothing was recorded');
    if (recorded.size > recordingLimits.bytes) throw new Error('The recording is too large');
    state.value = 'understanding';
    const { data } = await attachmentOf(new File([recorded], 'recording'));
    return (await api.voice.understand.mutate({ data }, { signal })).text;
  };

  const start = async () => {
    if (state.value !== 'idle') return;
    state.value = 'asking';
    ending = new AbortController();
    const { signal } = ending;
    const opened = await openMicrophone();
    let words = '';
    const failed =
      opened instanceof MediaStream
        ? await attempt(async () => (words = await understand(await record(opened, signal), signal)))
        : opened;
    if (signal.aborted) return;
    state.value = 'idle';
    if (failed === null) onWords(words);
    else onFailure(failed);
  };

  /** Nothing of it is kept. */
  const cancel = () => {
    ending.abort();
    state.value = 'idle';
  };
  onScopeDispose(cancel);
  return { state, elapsedMs, start, stop, cancel };
};
