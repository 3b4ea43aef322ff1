import { StringDecoder } from 'node:string_decoder';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { Clock } from '@drawbridge/kit';

const batchMs = 200;
/** A command that says nothing is still running: this renews the call's deadline. */
const signOfLifeMs = 10_000;
const maxBatchLength = 32_768;

/** Sends output in batches of whole characters; when it is too fast, the latest only. */
export const createLiveOutput = (clock: Clock, progress: (update: ProgressBody) => void) => {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  let waiting = '';
  let left = 0;
  let silentMs = 0;
  const report = () => {
    silentMs += batchMs;
    if (waiting === '' && silentMs < signOfLifeMs) return;
    silentMs = 0;
    const note = left > 0 ? `… ${left} characters left out …\n` : '';
    progress(waiting === '' ? {} : { output: note + waiting });
    waiting = '';
    left = 0;
  };
  const stop = clock.every(batchMs, report);
  return {
    add: (source: 'stdout' | 'stderr', chunk: Buffer) => {
      const text = waiting + decoders[source].write(chunk);
      waiting = text.slice(-maxBatchLength);
      left += text.length - waiting.length;
    },
    end: () => {
      stop();
      if (waiting !== '') report();
    },
  };
};
