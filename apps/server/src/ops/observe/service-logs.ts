import type { ServiceLogLine, ServiceLogsParams } from '@drawbridge/contracts/rpc/ops';
import type { Clock } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import { errors } from '../../errors.ts';
import type { Sources } from './sources.ts';

interface Needs {
  clock: Clock;
  sources: Sources;
  /** Hides secrets of this server in a text. */
  scrub(text: string): string;
}

/** Of all lines together, in bytes. */
const mostBytes = 256 * 1024;
const mask = '[hidden]';

/** The newest lines that fit. */
const fitting = (lines: ServiceLogLine[]): ServiceLogLine[] => {
  let bytes = 0;
  const from = lines.findLastIndex(({ text }) => (bytes += Buffer.byteLength(text)) > mostBytes);
  return lines.slice(from + 1);
};

/**
 * Logs of what `sources` lists, with secrets hidden. Throws `notFound` for a source that is not listed,
 * `notAvailable` for one whose log cannot be read.
 */
export const createServiceLogs =
  ({ clock, sources, scrub }: Needs) =>
  async (userId: string, params: ServiceLogsParams) => {
    const source = (await sources(userId)).find(({ view }) => view.id === params.sourceId);
    if (!source) throw errors.notFound();
    const log = await source.log(params);
    if (log === null) throw errors.notAvailable({ message: 'The log of this source cannot be read' });
    const scrubbed = log.lines.map((line) => ({ ...line, text: withoutKeys(scrub(line.text), mask) }));
    const redacted = scrubbed.some(({ text }, at) => text.includes(mask) || text !== log.lines[at]?.text);
    const lines = fitting(scrubbed);
    return {
      sourceId: params.sourceId,
      fetchedAt: clock.now(),
      redacted,
      truncated: log.isCut || lines.length < scrubbed.length,
      lines,
    };
  };
