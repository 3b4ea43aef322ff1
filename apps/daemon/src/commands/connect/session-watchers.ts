import type { Release } from '@drawbridge/contracts/release';
import type { Clock } from '@drawbridge/kit';
import type { LinkReport } from '../../link/index.ts';
import type { Log } from '../../log/index.ts';
import type { DaemonStatus, StatusFile } from '../../status/index.ts';
import { createCallLines } from '../../terminal/calls.ts';
import { createRunning } from '../../terminal/running.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';
import type { ToolHost } from '../tool-host.ts';
import type { SessionEvents } from './session-events.ts';
import { showLink } from './show-link.ts';

export const inTerminal = ({
  clock,
  terminal,
  url,
  release,
}: {
  clock: Clock;
  terminal: TerminalOutput;
  url: string;
  release: Release;
}): Partial<SessionEvents> => {
  const running = createRunning({ clock, terminal });
  const lines = createCallLines({ clock, terminal });
  let hasAsked = false;
  /** Why the server was away at the last attempt. */
  let reason: string | undefined;
  const sayWhere = () => {
    if (hasAsked) return;
    hasAsked = true;
    lines.flush();
    terminal.line('next', `Answer it in the panel: ${url}`, 'cyan');
  };
  return {
    link: (report) => {
      lines.flush();
      if (report.type !== 'reconnecting') {
        running.back();
        reason = undefined;
      } else {
        running.lost();
        if (report.sentence === reason) return;
        reason = report.sentence;
      }
      showLink(terminal, report, { url, release });
    },
    keyNotKept: () =>
      terminal.problem('The session could not be saved', 'Pair again after a restart of drawbridge.'),
    began: running.began,
    ended: (call) => {
      lines.ended(call);
      running.ended(call.request.requestId);
      if (call.outcome === 'asked') sayWhere();
    },
    notTaken: (requestId, refusal) =>
      terminal.line('not accepted', `the result of ${requestId}: ${refusal}`, 'yellow'),
  };
};

const logLink = (log: Log, report: LinkReport): void => {
  switch (report.type) {
    case 'connected': {
      const { way, refused, warnings } = report;
      for (const warning of warnings) log.write('warning', { text: warning });
      return log.write(report.type, { link: way, ...(refused !== undefined && { refused }) });
    }
    case 'tools':
      for (const warning of report.warnings) log.write('warning', { text: warning });
      return log.write(report.type);
    case 'reconnecting':
      return log.write(report.type, { inMs: Math.round(report.inMs), reason: report.sentence });
    case 'held-back':
      return log.write(report.type);
    case 'unpaired':
      return log.write(report.type, { reason: report.failure.sentence });
    case 'ended': {
      const { ending } = report;
      const reason = ending.reason === 'failed' ? ending.failure.sentence : ending.reason;
      return log.write(report.type, { reason });
    }
    default:
      return report satisfies never;
  }
};

/** Writes a session down: which tool ran and how it ended, never with what or what came of it. */
export const inLog = (log: Log): Partial<SessionEvents> => ({
  link: (report) => logLink(log, report),
  key: log.hide,
  keyNotKept: () => log.write('key-not-kept'),
  ended: ({ request, outcome, durationMs }) =>
    log.write('call', {
      requestId: request.requestId,
      tool: request.toolCall.name,
      outcome,
      ms: Math.round(durationMs),
    }),
  notTaken: (requestId, refusal) => log.write('not-taken', { requestId, reason: refusal }),
});

type Change = Partial<DaemonStatus>;

const pick = ({ offered, machine }: Extract<LinkReport, { type: 'connected' }>): Change => ({
  offered,
  ...(machine && { machine: { name: machine.name, isDefault: machine.isDefault } }),
});

const linkChange = (report: LinkReport, since: string): Change | null => {
  switch (report.type) {
    case 'connected':
      return { link: { state: 'connected', since, way: report.way }, heldBack: false, ...pick(report) };
    case 'reconnecting':
      return { link: { state: 'reconnecting', since, reason: report.sentence } };
    case 'unpaired':
      return { link: { state: 'unpaired', since, reason: report.failure.sentence } };
    case 'held-back':
      return { heldBack: true };
    case 'tools':
      return {};
    case 'ended':
      return null;
    default:
      return report satisfies never;
  }
};

/** What a daemon offers, as its status file has it. */
export const offerOf = (toolHost: ToolHost) => ({
  modes: toolHost.modes(),
  sources: toolHost.modeSources(),
  categories: toolHost.toolCategories(),
});

export const inStatus = (status: StatusFile, { clock }: { clock: Clock }): Partial<SessionEvents> => {
  const calls = { running: 0, ok: 0, failed: 0, denied: 0, asked: 0, cancelled: 0 };
  const latest = () => ({ calls });
  /** When the connection was lost; each further attempt reports it again. */
  let lostAt: string | undefined;
  return {
    link: (report) => {
      const now = new Date(clock.now()).toISOString();
      lostAt = report.type === 'reconnecting' ? (lostAt ?? now) : undefined;
      const change = linkChange(report, lostAt ?? now);
      if (change !== null) status.update(change);
    },
    began: () => {
      calls.running += 1;
      status.updateSoon(latest);
    },
    ended: ({ outcome }) => {
      calls.running -= 1;
      calls[outcome] += 1;
      status.updateSoon(latest);
    },
  };
};
