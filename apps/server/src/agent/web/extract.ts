import { Worker } from 'node:worker_threads';
import { WebError } from '@drawbridge/agent';
import { createLimiter, type Clock } from '@drawbridge/kit';

export interface ExtractTask {
  html: string;
  /** Links are resolved against it. */
  url: string;
  isPlain: boolean;
}

export interface Extracted {
  title: string;
  markdown: string;
}

export interface ExtractLimits {
  heapMiB: number;
  ms: number;
}

const extractLimits: ExtractLimits = { heapMiB: 128, ms: 5_000 };
const maxWorkers = 2;

const isSource = import.meta.url.endsWith('.ts');
const workerFile = new URL(`./extract-worker.${isSource ? 'ts' : 'js'}`, import.meta.url);

interface Needs {
  clock: Clock;
  limits?: ExtractLimits;
}

/** Reads HTML as markdown in a worker; a page that takes too much of it is read as plain text. */
export const createExtract = ({ clock, limits = extractLimits }: Needs) => {
  const workers = createLimiter(maxWorkers);

  /** Null when the worker failed or was terminated at one of its limits. */
  const runWorker = (task: ExtractTask, signal: AbortSignal): Promise<Extracted | null> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(workerFile, {
        workerData: task,
        execArgv: [],
        env: {},
        // What a library prints about a page stays out of the log.
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: limits.heapMiB },
      });
      const end = (result: Extracted | null) => {
        cancel();
        signal.removeEventListener('abort', stop);
        resolve(result);
        void worker.terminate();
      };
      const stop = () => {
        reject(signal.reason);
        end(null);
      };
      const cancel = clock.after(limits.ms, () => end(null));
      signal.addEventListener('abort', stop, { once: true });
      worker.once('message', (message: Extracted) => end(message));
      worker.once('error', () => end(null));
      worker.once('exit', () => end(null));
    });

  return (html: string, url: string, signal: AbortSignal): Promise<Extracted> =>
    workers.run(async () => {
      const read =
        (await runWorker({ html, url, isPlain: false }, signal)) ??
        (await runWorker({ html, url, isPlain: true }, signal));
      if (read === null) throw new WebError('The page could not be read as text.');
      return read;
    }, signal);
};

export type Extract = ReturnType<typeof createExtract>;
