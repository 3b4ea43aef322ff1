import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createDeadline, createOriginFetch } from '../../outside/index.ts';

const probeMs = 2_000;
const pullMs = 10 * 60_000;
/** Of one line of progress, in characters. */
const lineLength = 64 * 1024;

const progress = z.object({
  status: z.string().default(''),
  completed: z.number().optional(),
  total: z.number().optional(),
  error: z.string().optional(),
});

/** Whether a server of this machine answers `GET` with success. */
export const answers = async (clock: Clock, url: string): Promise<boolean> => {
  const { signal, stop } = createDeadline({ clock, ms: probeMs });
  try {
    const response = await createOriginFetch(new URL(url).origin)(url, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  } finally {
    stop();
  }
};

/** The lines of a body as they come; a line beyond the limit ends it. */
const linesOf = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > lineLength) return;
  }
  yield rest;
};

export type Pulled = 'done' | 'failed' | 'timed-out';

/** Pulls a model into the Ollama at this origin; `onProgress` gets each new line of status. */
export const pullModel = async (
  clock: Clock,
  { origin, model }: { origin: string; model: string },
  onProgress: (line: string) => void,
): Promise<Pulled> => {
  const { signal, stop } = createDeadline({ clock, ms: pullMs });
  try {
    const response = await createOriginFetch(origin)(`${origin}/api/pull`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model }),
      signal,
    });
    if (!response.ok || response.body === null) return 'failed';
    let last = '';
    for await (const line of linesOf(response.body)) {
      const { data } = progress.safeParse(jsonOf(line));
      if (!data) continue;
      if (data.error !== undefined) return 'failed';
      const percent = data.total ? ` ${Math.floor(((data.completed ?? 0) / data.total) * 100)} %` : '';
      const shown = `${model}: ${data.status}${percent}`;
      if (shown !== last) onProgress(`${shown}\n`);
      last = shown;
    }
    return last.endsWith('success') ? 'done' : 'failed';
  } catch {
    return signal.aborted ? 'timed-out' : 'failed';
  } finally {
    stop();
  }
};
