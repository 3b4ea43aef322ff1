import { Readable } from 'node:stream';
import { callExportQuery, type CallSummary } from '@drawbridge/contracts/calls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gateway } from '../../../gateway/index.ts';
import { atClose, type Quota } from '../../../http/index.ts';

/** The names of the user's machines by their ids, the forgotten ones among them. */
type MachineNames = ReadonlyMap<string, string>;

const columns = [
  ['createdAt', (call) => call.createdAt],
  ['tool', (call) => call.tool],
  ['subject', (call) => call.subject],
  ['state', (call) => call.state],
  ['machineId', (call) => call.machineId],
  ['machine', (call, names) => names.get(call.machineId) ?? ''],
  ['by', (call) => call.via?.kind ?? (call.door === 'trpc' ? 'panel' : call.door)],
  ['byName', (call) => call.via?.name ?? ''],
  ['byId', (call) => call.via?.id ?? ''],
  ['ruling', (call) => call.ruling ?? ''],
  ['decision', (call) => call.decision ?? ''],
  ['denialReason', (call) => call.denialReason ?? ''],
  ['error', (call) => call.error?.code ?? ''],
  ['endedAt', (call) => call.endedAt ?? ''],
  ['durationMs', (call) => String(call.durationMs ?? '')],
  ['requestId', (call) => call.requestId],
] as const satisfies [string, (call: CallSummary, names: MachineNames) => string][];

/** A spreadsheet runs a cell that begins so as a formula; the wide forms count too. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;

/** One cell of CSV (RFC 4180); a text that a spreadsheet would run gets an apostrophe. */
export const csvCell = (text: string): string => {
  const safe = formula.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

const csvRow = (cells: readonly string[]) => `${cells.map(csvCell).join(',')}\r\n`;

async function* csv(calls: AsyncIterable<CallSummary>, machineNames: () => Promise<MachineNames>) {
  yield csvRow(columns.map(([name]) => name));
  const names = await machineNames();
  for await (const call of calls) yield csvRow(columns.map(([, read]) => read(call, names)));
}

async function* json(calls: AsyncIterable<CallSummary>) {
  yield '[';
  let separator = '\n';
  for await (const call of calls) {
    yield separator + JSON.stringify(call);
    separator = ',\n';
  }
  yield '\n]\n';
}

const types = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json' } as const;

interface Needs {
  gateway: Pick<Gateway, 'calls' | 'machines'>;
  /** Exports that one user may have running. */
  exports: Quota;
}

/**
 * `GET /export/calls?format=csv`: the calls of a filter, newest first, as a stream. Throws a `ZodError` for
 * another query, `tooManyRequests` beside too many others.
 */
export const exportCalls = (
  { gateway, exports }: Needs,
  userId: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply => {
  const { format, ...filter } = callExportQuery.parse(request.query);
  atClose(reply, exports.acquire(userId));
  const calls = gateway.calls.all(userId, filter);
  const names = async () => {
    const [present, gone] = await Promise.all([
      gateway.machines.summaries(userId),
      gateway.machines.forgotten(userId),
    ]);
    return new Map([...gone, ...present].map(({ id, name }) => [id, name]));
  };
  return reply
    .header('content-disposition', `attachment; filename="drawbridge-calls.${format}"`)
    .type(types[format])
    .send(Readable.from(format === 'csv' ? csv(calls, names) : json(calls)));
};
