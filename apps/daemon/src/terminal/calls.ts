import type { ToolRequest } from '@drawbridge/contracts';
import { endOfTurn } from '@drawbridge/kit';
import type { CallOutcome, CallReport } from '../link/index.ts';
import { visible } from '../permission/index.ts';
import { shorten } from './shorten.ts';
import type { Talk } from './talk.ts';

/** The arguments that name what a call is about, the first that is there wins. */
const namingArguments = [
  'path',
  'filePath',
  'dirPath',
  'source',
  'sourcePath',
  'command',
  'url',
  'query',
  'pattern',
  'name',
];
const summaryLength = 60;

const colours = {
  ok: 'green',
  failed: 'red',
  denied: 'yellow',
  asked: 'cyan',
  cancelled: 'gray',
} as const satisfies Record<CallOutcome, string>;

const summary = (call: Record<string, unknown>): string => {
  const naming = namingArguments.map((name) => call[name]).find((value) => typeof value === 'string');
  return typeof naming === 'string' ? shorten(visible(naming), summaryLength) : '';
};

const formatDuration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** A call in a few words: its tool, and what it is about. */
export const callSummary = ({ toolCall }: ToolRequest): string =>
  [shorten(toolCall.name, summaryLength), summary(toolCall.arguments)].filter(Boolean).join('  ');

/** One line for a call that has ended or asked: outcome, tool, what it was about, how long it took. */
export const showCall = (talk: Talk, { request, outcome, durationMs }: CallReport): void => {
  talk.line(outcome, `${callSummary(request)}  ${formatDuration(durationMs)}`, colours[outcome]);
};

/** Shows calls as they end. Those that end in one turn of the event loop are written together. */
export const createCallLines = (talk: Talk): ((call: CallReport) => void) => {
  let isHeld = false;
  return (call) => {
    if (!isHeld) {
      isHeld = true;
      const letOut = talk.hold();
      void endOfTurn().then(() => {
        isHeld = false;
        letOut();
      });
    }
    showCall(talk, call);
  };
};
