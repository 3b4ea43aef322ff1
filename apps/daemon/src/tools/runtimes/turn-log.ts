import type { RuntimeEvent, TurnProgress } from '@drawbridge/contracts/machines/runtimes';
import { cutText } from '@drawbridge/kit';

/** Of a result, in characters: what is beyond is left out, and said so. */
const maxCharacters = 200_000;
const maxEvents = 2_000;

const sizeOf = (event: RuntimeEvent): number => JSON.stringify(event).length;

const livePlan = (items: readonly { text: string; status: string }[]) =>
  items.map(({ text, status }) => `\n- ${status === 'completed' ? '[x]' : '[ ]'} ${text}`).join('');

/** An event as text, while the turn runs. */
const liveText = (event: RuntimeEvent): string => {
  switch (event.type) {
    case 'text':
      return event.text;
    case 'thought':
    case 'session':
    case 'asked':
      return '';
    case 'action':
      return `\n> ${event.title}\n`;
    case 'action-end':
      return event.status === 'completed' ? '' : `\n> ${event.status}: ${event.text}\n`;
    case 'form':
      return `\n? ${event.message}\n`;
    case 'plan':
      return `${livePlan(event.items)}\n`;
    case 'notice':
      return `\n! ${event.text}\n`;
    default:
      return event satisfies never;
  }
};

type OpenText = NonNullable<TurnProgress['text']>;
const isText = (
  event: RuntimeEvent | undefined,
): event is Extract<RuntimeEvent, { type: OpenText['type'] }> =>
  event?.type === 'text' || event?.type === 'thought';

interface LogNeeds {
  output(text: string): void;
  /** Events that do not change any more, and the newest piece of the text behind them. */
  post(turn: TurnProgress): void;
}

/** What a turn did: live to `output` and `post`, and in order for its result. */
export const createTurnLog = ({ output, post }: LogNeeds) => {
  const events: RuntimeEvent[] = [];
  let characters = 0;
  let posted = 0;
  const isFull = () => characters >= maxCharacters || events.length >= maxEvents;

  const sayFull = () => {
    if (isFull()) events.push({ type: 'notice', text: 'The rest of this turn is left out: it is too long' });
  };
  const push = (event: RuntimeEvent) => {
    if (isFull()) return;
    characters += sizeOf(event);
    events.push(event);
    sayFull();
  };

  /** A text may grow until another event follows it. */
  const publish = (text: OpenText | undefined) => {
    const settled = isText(events.at(-1)) ? events.length - 1 : events.length;
    const from = posted;
    posted = Math.max(posted, settled);
    if (posted > from || text) post({ from, events: events.slice(from, posted), ...(text && { text }) });
  };

  return {
    add: (event: RuntimeEvent) => {
      const live = liveText(event);
      if (live !== '') output(live);
      const last = events.at(-1);
      if (isText(event) && last?.type === event.type) {
        const offset = last.text.length;
        const text = cutText(event.text, maxCharacters);
        characters += text.length;
        last.text += text;
        sayFull();
        return publish(isFull() ? undefined : { type: event.type, text, offset });
      }
      push({ ...event });
      publish(isText(event) && events.at(-1)?.type === event.type ? { ...event, offset: 0 } : undefined);
    },
    events: () => events,
    /** The text of the turn; its actions as one line each. */
    words: () =>
      events
        .map((event) => liveText(event))
        .join('')
        .trim(),
  };
};
