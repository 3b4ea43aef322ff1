import { daemonEvent } from '@drawbridge/contracts/daemon-event';

/** One block of an event stream with its blank line; `event` is null for a comment. */
export interface Frame {
  text: string;
  id: number | null;
  event: string | null;
  requestId: string | null;
}

const field = (text: string, name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1];

const read = (text: string): Frame => {
  const data = field(text, 'data');
  const id = field(text, 'id');
  const parsed = data === undefined ? undefined : daemonEvent.safeParse(JSON.parse(data)).data;
  const requestId = parsed && 'requestId' in parsed.payload ? parsed.payload.requestId : null;
  const event = data === undefined ? null : (parsed?.type ?? 'unknown');
  return { text, id: id === undefined ? null : Number(id), event, requestId };
};

/** Cuts what comes in pieces into whole blocks. */
export const createFrames = (): { take(piece: string): Frame[] } => {
  let rest = '';
  return {
    take: (piece) => {
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      return blocks.map((block) => read(`${block}\n\n`));
    },
  };
};
