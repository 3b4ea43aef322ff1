import { onTestFinished } from 'vitest';

export interface StreamFrame {
  id: string | undefined;
  event: string | undefined;
  data: Record<string, unknown>;
}

const frameOf = (text: string): StreamFrame => {
  const fields = new Map(
    text.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return { id: fields.get('id'), event: fields.get('event'), data: JSON.parse(fields.get('data') ?? '{}') };
};

/** Reads a thread's event stream until `isLast`, without comments. */
export const readStream = async (
  url: string,
  headers: Record<string, string>,
  isLast: (frame: StreamFrame) => boolean,
): Promise<StreamFrame[]> => {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(url, { headers, signal: leaving.signal });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const frames: StreamFrame[] = [];
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = text.slice(0, end);
      text = text.slice(end + 2);
      if (!frame.includes('data: ')) continue;
      frames.push(frameOf(frame));
      if (frames.some(isLast)) return frames;
    }
  }
  return frames;
};
