import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import { type Clock, visible } from '@drawbridge/kit';
import type { CallOutcome, CallReport } from '../link/index.ts';
import { shorten } from '../text/words.ts';
import type { TerminalOutput } from './terminal-output.ts';
import { words } from '../text/words.ts';

/** The arguments that name what a call is about, the first that is there wins. */
const namingArguments = words('path filePath dirPath source sourcePath command url query pattern name');
const summaryLength = 60;
const gatherMs = 50;

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

export const timePassed = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : timePassed(ms);
};

export const callSummary = ({ toolCall }: ToolRequest): string =>
  [shorten(toolCall.name, summaryLength), summary(toolCall.arguments)].filter(Boolean).join('  ');

export const showCall = (terminal: TerminalOutput, { request, outcome, durationMs }: CallReport): void => {
  terminal.line(outcome, `${callSummary(request)}  ${formatDuration(durationMs)}`, colours[outcome]);
};

/** Prints calls as they end: the first at once, those that follow closely together. */
export const createCallLines = ({ clock, terminal }: { clock: Clock; terminal: TerminalOutput }) => {
  let waiting: CallReport[] = [];
  let isGathering = false;

  const flush = () => {
    if (waiting.length === 0) return;
    const release = terminal.hold();
    for (const call of waiting) showCall(terminal, call);
    waiting = [];
    release();
  };
  const gather = () => {
    isGathering = true;
    clock.after(gatherMs, () => {
      isGathering = waiting.length > 0;
      flush();
      if (isGathering) gather();
    });
  };

  return {
    ended: (call: CallReport) => {
      waiting.push(call);
      if (isGathering) return;
      flush();
      gather();
    },
    /** Shows what waits, so that what is said next stands below it. */
    flush,
  };
};
