import type { ServiceLogsParams } from '@drawbridge/contracts/rpc/ops';
import type { Clock } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import { errors } from '../../errors.ts';
import type { Compose } from '../services/docker.ts';
import type { LogLine } from '../services/log-line.ts';
import type { LogRing } from './log-ring.ts';
import type { Source, Sources } from './sources.ts';
import type { Systemd } from '../services/systemd.ts';

interface Needs {
  clock: Clock;
  sources: Sources;
  ring: LogRing;
  systemd: Systemd;
  compose: Compose;
  scrub(text: string): string;
}

/** Of all lines together, in bytes. */
const mostBytes = 256 * 1024;
const mask = '[hidden]';

/** The newest lines that fit. */
const fitting = (lines: LogLine[]): LogLine[] => {
  let bytes = 0;
  const from = lines.findLastIndex(({ text }) => (bytes += Buffer.byteLength(text)) > mostBytes);
  return lines.slice(from + 1);
};

/** Logs of what `sources` lists, with secrets hidden. */
export const createServiceLogs = ({ clock, sources, ring, systemd, compose, scrub }: Needs) => {
  const read = async (
    source: Source,
    params: ServiceLogsParams,
  ): Promise<{ lines: LogLine[]; isCut: boolean } | null> => {
    switch (source.of.kind) {
      case 'process':
        return {
          lines: ring.read(clock.now() - params.sinceSeconds * 1_000, params.lines),
          isCut: false,
        };
      case 'systemd':
        return systemd.log(source.of, params);
      case 'docker':
        return compose.log(source.of.service, params);
      case 'daemon':
        throw errors.notAvailable({ message: 'The log of a machine stays on the machine' });
      default:
        return source.of satisfies never;
    }
  };

  /** Throws `notFound` for a source that is not listed, `notAvailable` for one whose log cannot be read. */
  return async (userId: string, params: ServiceLogsParams) => {
    const source = (await sources(userId)).find(({ view }) => view.id === params.sourceId);
    if (!source) throw errors.notFound();
    const log = await read(source, params);
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
};
