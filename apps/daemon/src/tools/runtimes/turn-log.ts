import type { RuntimeEvent } from '@drawbridge/contracts/machines/runtimes';
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
      return '';
    case 'action':
      return `\n> ${event.title}\n`;
    case 'action-end':
      return event.status === 'completed' ? '' : `\n> ${event.status}: ${event.text}\n`;
    case 'plan':
      return `${livePlan(event.items)}\n`;
    case 'notice':
      return `\n! ${event.text}\n`;
    default:
      return event satisfies never;
  }
};

/** What a turn did: live to `output`, and in order for its result. */
export const createTurnLog = (output: (text: string) => void) => {
  const events: RuntimeEvent[] = [];
  let characters = 0;

  const push = (event: RuntimeEvent) => {
    if (characters >= maxCharacters || events.length >= maxEvents) return;
    characters += sizeOf(event);
    events.push(event);
    if (characters >= maxCharacters || events.length >= maxEvents)
      events.push({ type: 'notice', text: 'The rest of this turn is left out: it is too long' });
  };

  return {
    add: (event: RuntimeEvent) => {
      const text = liveText(event);
      if (text !== '') output(text);
      const last = events.at(-1);
      const isMore = event.type === 'text' || event.type === 'thought';
      if (isMore && last?.type === event.type && characters < maxCharacters) {
        characters += event.text.length;
        last.text += cutText(event.text, maxCharacters);
      } else if (event.type === 'plan' && last?.type === 'plan') last.items = event.items;
      else push({ ...event });
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
