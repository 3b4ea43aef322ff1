import { errorTable } from '@drawbridge/contracts/errors';
import type { Release } from '@drawbridge/contracts/release';
import type { Ending, Failure, LinkReport } from '../../link/index.ts';
import { ownCommand } from '../../program/own-command.ts';
import { pairInPanel, showDifference } from '../common/sentences.ts';
import { showUrl } from '../common/server-url.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';

/** The last words of a session and the code that the process ends with. */
export const showEnding = (terminal: TerminalOutput, ending: Ending, url: URL): 0 | 1 => {
  switch (ending.reason) {
    case 'stopped':
      terminal.line('stopped', 'This machine is offline and stays paired.', 'gray');
      terminal.line('reconnect', ownCommand('connect'), 'cyan');
      terminal.line('end pairing', ownCommand('disconnect'), 'cyan');
      return 0;
    case 'left':
      terminal.line('disconnected', 'At this server the pairing ends when drawbridge stops.', 'gray');
      terminal.line('pair again', pairInPanel, 'cyan');
      return 0;
    case 'user':
      terminal.line('disconnected', 'The pairing was ended, in the panel or on this machine.', 'gray');
      return 0;
    case 'replaced':
      terminal.problem('Disconnected: another machine or another drawbridge replaced this one', pairInPanel);
      return 1;
    case 'failed':
      terminal.problem(...notPaired(url, ending.failure));
      return 1;
    default:
      return ending satisfies never;
  }
};

const showRelease = (terminal: TerminalOutput, own: Release, offered: Release): void => {
  const sentence = showDifference(own, offered);
  if (sentence !== null) terminal.line('update', sentence, 'yellow');
};

/** Why the server does not accept a token or key, and what to do. */
const refusal = ({ code, sentence }: Failure): [problem: string, fix: string] => {
  switch (code) {
    case errorTable.tokenUsed.code:
      return [
        errorTable.tokenUsed.message,
        `If this machine is still paired, run ${ownCommand('connect')}. Otherwise create a new command in the panel.`,
      ];
    case errorTable.tokenExpired.code:
    case errorTable.pairingEnded.code:
      return [sentence.replace(/ \(HTTP \d+\)$/, ''), pairInPanel];
    case errorTable.forbidden.code:
      return [
        'The server does not know this token or key: it was mistyped, or belongs to another server',
        pairInPanel,
      ];
    default:
      return [`The server does not accept this token or key (${sentence})`, pairInPanel];
  }
};

/** Why a pairing does not work, and what to do. */
export const notPaired = (url: URL, failure: Failure): [problem: string, fix: string] =>
  failure.kind === 'refused'
    ? refusal(failure)
    : [
        `Cannot connect to ${showUrl(url)} (${failure.sentence})`,
        failure.kind === 'redirect'
          ? 'Pass the address that the panel shows in its own address bar.'
          : 'Check the address, and that the server runs; then run the command again.',
      ];

export const showLink = (
  terminal: TerminalOutput,
  report: LinkReport,
  { url, release }: { url: string; release: Release },
): void => {
  switch (report.type) {
    case 'connected':
      terminal.line('connected', report.machine ? `${url} as ${report.machine.name}` : url, 'green');
      for (const warning of report.warnings) terminal.line('warning', warning, 'yellow');
      if (report.offered !== undefined) showRelease(terminal, release, report.offered);
      return;
    case 'tools':
      terminal.line('tools', 'the new list was sent to the server', 'gray');
      for (const warning of report.warnings) terminal.line('warning', warning, 'yellow');
      return;
    case 'reconnecting':
      terminal.line('reconnecting', report.sentence, 'yellow');
      return;
    case 'held-back':
      terminal.problem(
        'Your proxy buffers the stream: calls come late or not at all',
        'Read docs/behind-a-proxy.md.',
      );
      return;
    case 'unpaired':
      terminal.problem(...refusal(report.failure));
      return;
    case 'ended':
      return;
    default:
      report satisfies never;
  }
};
