import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { CallReport, LinkReport } from '../../link/index.ts';

/** The events of a session, for the terminal, the log and the status file. */
export interface SessionEvents {
  link(report: LinkReport): void;
  key(key: string): void;
  keyNotKept(): void;
  began(request: ToolRequest): void;
  ended(call: CallReport): void;
  /** The server did not take a result, for good. */
  notTaken(requestId: string, refusal: string): void;
}

export const notifyAll = (all: readonly Partial<SessionEvents>[]): SessionEvents => ({
  link: (report) => all.forEach((listener) => listener.link?.(report)),
  key: (key) => all.forEach((listener) => listener.key?.(key)),
  keyNotKept: () => all.forEach((listener) => listener.keyNotKept?.()),
  began: (request) => all.forEach((listener) => listener.began?.(request)),
  ended: (call) => all.forEach((listener) => listener.ended?.(call)),
  notTaken: (requestId, refusal) => all.forEach((listener) => listener.notTaken?.(requestId, refusal)),
});
