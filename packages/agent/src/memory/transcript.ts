import { cutText, withoutHidden } from '@drawbridge/kit';
import { block } from '../prompt/untrusted.ts';
import type { MessageRow } from '../rows/rows.ts';
import type { MessagePart } from '../rows/parts.ts';
import { personKey, unknownKey } from '../rows/sender.ts';
import type { History } from './history.ts';
import { estimateTokens, pictureTokens } from './tokens.ts';

/** A result in a transcript keeps its beginning and its end. */
const resultLength = 4_000;
const tailLength = 1_000;
const argumentsLength = 1_000;

type Calls = History['calls'];

const shorten = (text: string): string =>
  text.length <= resultLength
    ? text
    : `${cutText(text, resultLength - tailLength)}\n[…]\n${text.slice(-tailLength)}`;

const resultText = (toolCallId: string, calls: Calls): string =>
  (calls.get(toolCallId)?.result ?? [])
    .map((part) => (part.type === 'text' ? part.text : '[picture]'))
    .join('\n');

const partText = (part: MessagePart, who: string, calls: Calls): string[] => {
  switch (part.type) {
    case 'text':
      return [`${who}: ${part.text}`];
    case 'delivery':
      return [`The webhook ${part.hook} received:\n${shorten(part.text)}`];
    case 'reasoning':
      return [];
    case 'file':
      return [`${who} attached the file ${JSON.stringify(part.file.name)}.`];
    case 'tool-call': {
      const result = shorten(resultText(part.toolCallId, calls));
      const outcome = calls.get(part.toolCallId)?.outcome ?? 'no result';
      return [
        `${who} called ${part.tool}(${cutText(part.arguments, argumentsLength)}); ${outcome}:\n${result}`,
      ];
    }
    default:
      return part satisfies never;
  }
};

const writers: Record<Exclude<MessageRow['source'], 'person'>, string> = {
  note: 'Server',
  continue: 'Server',
  model: 'Agent',
};

/** Notes keep the author of what was said. */
const senderName = ({ sender }: MessageRow): string =>
  sender === personKey || sender === unknownKey ? 'Person' : 'A client of the person';

const messageText = (row: MessageRow, calls: Calls): string => {
  const time = new Date(row.createdAt).toISOString().slice(0, 16).replace('T', ' ');
  const who = row.source === 'person' ? senderName(row) : writers[row.source];
  return [`[${time}]`, ...row.parts.flatMap((part) => partText(part, who, calls))].join('\n');
};

/** The share of the beginning, where the middle of a transcript is left out. */
const headShare = 0.3;

const fitted = (text: string, tokens: number): string => {
  const length = Math.floor((text.length * tokens) / estimateTokens(text));
  if (length >= text.length) return text;
  const head = Math.floor(length * headShare);
  return `${text.slice(0, head)}\n[… the middle is left out …]\n${text.slice(head - length)}`;
};

/**
 * Messages with their calls and results, as a text for the helper model in a block of its own. Beyond
 * `tokens` its middle is left out.
 */
export const transcriptOf = (messages: readonly MessageRow[], calls: Calls, tokens: number): string => {
  const text = withoutHidden(messages.map((row) => messageText(row, calls)).join('\n\n')).text;
  return block('conversation', fitted(text, tokens));
};

/** What a message and the results of its calls cost in a prompt. */
export const rowTokens = (row: MessageRow, calls: Calls): number =>
  row.parts.reduce((tokens, part) => {
    if (part.type === 'file') return tokens + pictureTokens;
    if (part.type !== 'tool-call') return tokens + estimateTokens(part.text);
    const result = calls.get(part.toolCallId)?.result ?? [];
    const ofResult = result.reduce(
      (sum, one) => sum + (one.type === 'text' ? estimateTokens(one.text) : pictureTokens),
      0,
    );
    return tokens + estimateTokens(part.arguments) + ofResult;
  }, 0);
