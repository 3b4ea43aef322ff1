import { ModelError, type ModelErrorKind } from '@drawbridge/agent';
import { createTimer, type Clock } from '@drawbridge/kit';

const second = 1_000;
const mebibyte = 1024 * 1024;

const firstByteMs = 120 * second;
const silenceMs = 60 * second;
const stepMs = 600 * second;
/** Text, reasoning and arguments of one call. */
const maxOutputBytes = 4 * mebibyte;
/** Bytes of an answer without one part: a frame that never ends. */
const maxFrameBytes = 8 * mebibyte;
const maxCalls = 32;

/** The limits of one model call. What is beyond them aborts `signal`. */
export interface CallLimits {
  signal: AbortSignal;
  /** Bytes have come from the provider. */
  bytes(count: number): void;
  /** A part has come, with so many bytes of output. */
  output(text: string): void;
  /** A tool call has begun. */
  call(): void;
  /** Why the call was ended here; null while it was not. */
  broken(): ModelError | null;
  /** Stops the timers, and closes the connection where it is open. */
  end(): void;
}

export const createCallLimits = (clock: Clock, stop: AbortSignal): CallLimits => {
  const abort = new AbortController();
  const silence = createTimer(clock);
  let broken: ModelError | null = null;
  let outputBytes = 0;
  let frameBytes = 0;
  let calls = 0;

  const fail = (kind: ModelErrorKind, message: string) => {
    broken ??= new ModelError(kind, message);
    end();
  };
  const stopped = () => fail('aborted', 'The model call was stopped.');
  const cancelStep = clock.after(stepMs, () => fail('silent', 'The model did not finish within 10 minutes.'));
  silence.start(firstByteMs, () => fail('silent', 'The model did not begin to answer within 120 seconds.'));

  const end = () => {
    silence.cancel();
    cancelStep();
    stop.removeEventListener('abort', stopped);
    abort.abort();
  };

  if (stop.aborted) stopped();
  else stop.addEventListener('abort', stopped, { once: true });

  return {
    signal: abort.signal,
    bytes: (count) => {
      if (abort.signal.aborted) return;
      silence.start(silenceMs, () => fail('silent', 'The model was silent for 60 seconds.'));
      frameBytes += count;
      if (frameBytes > maxFrameBytes) fail('too-large', 'The model sent more than can be read.');
    },
    output: (text) => {
      frameBytes = 0;
      outputBytes += Buffer.byteLength(text);
      if (outputBytes > maxOutputBytes) fail('too-large', 'The model wrote more than 4 MiB.');
    },
    call: () => {
      calls += 1;
      if (calls > maxCalls)
        fail('too-many-calls', `The model asked for more than ${maxCalls} tool calls at once.`);
    },
    broken: () => broken,
    end,
  };
};
