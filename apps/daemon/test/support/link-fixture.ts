import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, onTestFinished, vi } from 'vitest';
import { openJournal } from '../../src/journal/index.ts';
import {
  createCalls,
  createHttp,
  createLink,
  createOpenLink,
  createOutbox,
  createServerApi,
  type KnownEpoch,
  type LinkReport,
} from '../../src/link/index.ts';
import { pairingToken, startGatewayServer } from './gateway-server.ts';
import type { Dispatch } from '../../src/tools/common/dispatch.ts';

/** Runs after the test, the last one first. */
export const later = (cleanUp: () => unknown): void =>
  onTestFinished(async () => {
    await cleanUp();
  });

export const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }] });
/** Answers with the arguments. */
const echo: Dispatch = async ({ toolCall }) => text(JSON.stringify(toolCall.arguments));

/** A link to a small real server, on a clock that the test moves. */
export const startLink = async (dispatch: Dispatch = echo, epoch?: KnownEpoch) => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-link-'));
  const journal = await openJournal({ folder, clock: systemClock });
  const server = await startGatewayServer();
  const clock = createFakeClock();
  const http = createHttp(server.url);
  const api = createServerApi(http, clock, epoch);
  const reports: LinkReport[] = [];
  const offered: string[] = [];
  let current = '';
  const key = { get: () => current, set: (given: string) => void (current = given) };
  // The longest wait that jitter can give.
  const random = () => 0.999_999;
  const refusals: (string | null)[] = [];
  const outbox = createOutbox({
    clock,
    random,
    post: ({ requestId, body }) => api.respond(key.get(), requestId, body),
    postAll: (results) => api.respondAll(key.get(), results),
    takesSeveral: api.takesSeveral,
    settled: ({ requestId }, refusal) => {
      journal.taken(requestId);
      refusals.push(refusal);
    },
  });
  const calls = createCalls({
    clock,
    dispatch,
    instance: 'instance',
    outbox,
    journal,
    changes: (tool) => tool !== 'read_file',
    postProgress: (requestId, body) => api.progress(key.get(), requestId, body),
    withdrawn: () => {},
    began: () => {},
    report: () => {},
  });
  const link = createLink({
    clock,
    random,
    api,
    key,
    calls,
    open: createOpenLink({ ...api, url: server.url, way: 'socket', http, clock }),
    rules: async (query) => ({ refused: 'failed', message: query.type }),
    runtimes: async () => ({ runtimes: [] }),
    processes: async (query) => ({ refused: 'unknown', message: query.type }),
    describe: () => ({ rootPath: '/w', tools: [...offered] }),
    report: (report) => {
      reports.push(report);
      if (report.type === 'connected') outbox.flush();
    },
  });
  const closing = [
    () => rm(folder, { recursive: true }),
    journal.close,
    server.close,
    http.close,
    outbox.close,
    () => link.stop(),
  ];
  closing.forEach(later);
  const types = () => reports.map(({ type }) => type);
  const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 30_000, interval: 10 });
  const reported = (...expected: LinkReport['type'][]) => until(() => expect(types()).toEqual(expected));
  const connected = async () => {
    link.giveKey(pairingToken);
    await reported('connected');
  };
  const routes = () =>
    server.seen.map(({ method, path, key: used }) => `${method} ${path} ${used?.slice(0, 4)}`);
  return {
    server,
    clock,
    link,
    reports,
    reported,
    connected,
    until,
    routes,
    refusals,
    outbox,
    journal,
    offered,
  };
};

export const request = (
  requestId: string,
  call: Record<string, unknown> = {},
): { type: string; payload: ToolRequest } => ({
  type: 'filesystem-request',
  payload: { requestId, toolCall: { name: 'read_file', arguments: call } },
});

export const told = (reason: string) => ({ type: 'gateway-disconnect', payload: { reason } });
