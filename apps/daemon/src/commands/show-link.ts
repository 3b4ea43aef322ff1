import type { Ending, LinkReport } from '../link/index.ts';
import type { Talk } from '../terminal/talk.ts';

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

const pairAgain = 'Open the panel, choose Connect, and run the command that it shows.';

/** The last words of a session and the code that the process ends with. */
export const showEnding = (talk: Talk, ending: Ending, url: string): 0 | 1 => {
  switch (ending.reason) {
    case 'stopped':
      talk.line('disconnected', 'by you', 'gray');
      return 0;
    case 'paused':
      talk.line('stopped', 'the session is kept: drawbridge connect goes on with it', 'gray');
      return 0;
    case 'user':
      talk.line('disconnected', 'in the panel', 'gray');
      return 0;
    case 'replaced':
      talk.problem('Disconnected: another machine or another drawbridge took this place', pairAgain);
      return 1;
    case 'failed':
      talk.problem(
        `Cannot connect to ${url} (${ending.failure.sentence})`,
        ending.failure.kind === 'redirect'
          ? 'Pass the address that the panel shows in its own address bar.'
          : 'Check the address, and that the server runs; then run the command again.',
      );
      return 1;
    default:
      return ending satisfies never;
  }
};

/** One line for each change of the connection. */
export const showLink = (talk: Talk, report: LinkReport, url: string): void => {
  switch (report.type) {
    case 'connected':
      talk.line('connected', url, 'green');
      for (const warning of report.warnings) talk.line('warning', warning, 'yellow');
      return;
    case 'tools':
      talk.line('tools', 'the server has the new list', 'gray');
      for (const warning of report.warnings) talk.line('warning', warning, 'yellow');
      return;
    case 'reconnecting':
      talk.line('reconnecting', `in ${seconds(report.inMs)} (${report.sentence})`, 'yellow');
      return;
    case 'held-back':
      talk.problem(
        'Your proxy buffers the stream: calls come late or not at all',
        'Read docs/behind-a-proxy.md.',
      );
      return;
    case 'unpaired':
      talk.problem(`The server does not take this key (${report.sentence})`, pairAgain);
      return;
    case 'ended':
      return;
    default:
      report satisfies never;
  }
};
