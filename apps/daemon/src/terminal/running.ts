import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import { createTransientMap, type Clock } from '@drawbridge/kit';
import { callSummary, timePassed } from './calls.ts';
import type { TerminalOutput } from './terminal-output.ts';

/** Calls that take less long are not worth a line of their own. */
const shownAfterMs = 1_000;
const everyMs = 1_000;
const maxLines = 5;

/** Live lines below all others, with the time that has passed: of each call that runs, and of an outage. */
export const createRunning = ({ clock, terminal }: { clock: Clock; terminal: TerminalOutput }) => {
  const calls = createTransientMap<string, { request: ToolRequest; startedAt: number }>();
  let lostAt: number | null = null;
  let stopTicking: (() => void) | null = null;

  const draw = () => {
    const nowMs = clock.now();
    const long = [...calls.values()].filter(({ startedAt }) => nowMs - startedAt >= shownAfterMs);
    const lines = long
      .slice(0, maxLines)
      .map(({ request, startedAt }) => [
        'running',
        `${callSummary(request)}  ${timePassed(nowMs - startedAt)}`,
      ]);
    if (lostAt !== null && nowMs - lostAt >= shownAfterMs)
      lines.unshift(['reconnecting', `for ${timePassed(nowMs - lostAt)}`]);
    if (long.length > maxLines) lines.push(['', `and ${long.length - maxLines} more`]);
    terminal.live(lines.map(([word = '', text = '']) => ({ word, text })));
  };

  const tick = () => {
    if (calls.size === 0 && lostAt === null) {
      stopTicking?.();
      stopTicking = null;
    }
    draw();
  };

  return {
    /** The connection is lost; further attempts count from the first. */
    lost: () => {
      lostAt ??= clock.now();
      stopTicking ??= clock.every(everyMs, tick);
    },
    /** It is back, or no longer tried for. */
    back: () => {
      if (lostAt === null) return;
      lostAt = null;
      tick();
    },
    began: (request: ToolRequest) => {
      calls.set(request.requestId, { request, startedAt: clock.now() });
      stopTicking ??= clock.every(everyMs, tick);
    },
    ended: (requestId: string) => {
      const call = calls.get(requestId);
      calls.delete(requestId);
      if (call !== undefined && clock.now() - call.startedAt >= shownAfterMs) draw();
    },
  };
};
