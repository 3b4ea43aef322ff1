import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { textResult } from '../../common/result.ts';
import { seesAll, type Surroundings } from '../asked-command.ts';
import { explain } from '../explain.ts';
import { inWords } from '../sandbox/run-files.ts';
import type { Process } from './process.ts';
import { plainOutput } from './output.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** What a process is, without its output. */
export const summaryOf = (process: Process) => {
  const { id, command, folder, hosts, ports, startedAt } = process;
  const end = process.end();
  const signal = process.signalName();
  return {
    process: id,
    command,
    folder,
    ...(hosts.length > 0 && { hosts }),
    ...(ports.length > 0 && { ports }),
    startedAt: iso(startedAt),
    ...(end === undefined
      ? { state: 'running' as const }
      : {
          state: 'ended' as const,
          ended: end.cause,
          exitCode: end.exitCode,
          ...(signal !== undefined && { signal }),
          endedAt: iso(end.at),
        }),
  };
};

export interface Reading {
  /** The first position that is wanted; without it, the last characters. */
  cursor?: number | undefined;
  maxChars: number;
  raw?: boolean | undefined;
  /** Said first. */
  note?: string;
}

/** What was said of its end by the sandbox, its network and what it changed. */
const notesOf = (process: Process, root: string, { sandbox, look = seesAll }: Surroundings): string[] => {
  const { command, egress, output, hosts } = process;
  const end = process.end();
  const blocked = egress?.notes() ?? [];
  if (end === undefined) return blocked;
  const { exitCode, exceeded } = end;
  const printed = {
    stdout: plainOutput(output.read(0).text),
    stderr: '',
    exitCode,
    ...(exceeded && { exceeded }),
  };
  const hasNetwork = hosts.length > 0;
  const about = { root, timeoutMs: 0, sandbox, look, hasNetwork, hasProcesses: true };
  const causes = end.cause === 'exited' ? explain(command, { ...printed, timedOut: false }, about).notes : [];
  return [...blocked, ...causes, ...end.left.notes, ...inWords(end.left.changed)];
};

/** The result of every tool that gives output: what came from a position on, and how the process is. */
export const createReports =
  (root: string, surroundings: Surroundings) =>
  (process: Process, { cursor, maxChars, raw = false, note }: Reading, found?: string): ToolResult => {
    const { output, egress } = process;
    const wanted = cursor ?? output.end() - maxChars;
    const { from, text, cursor: next } = output.read(wanted, maxChars);
    const lost = cursor === undefined ? 0 : Math.max(0, from - cursor);
    const waits = process.waits();
    const listening = process.listening();
    const traffic = egress?.traffic() ?? [];
    const pushes = egress?.pushes() ?? [];
    const notes = [...(note === undefined ? [] : [note]), ...notesOf(process, root, surroundings)];
    const changed = process.end()?.left.changed;
    return {
      ...textResult(
        JSON.stringify({
          ...summaryOf(process),
          output: raw ? text : plainOutput(text),
          from,
          cursor: next,
          ...(next < output.end() && { more: output.end() - next }),
          ...(lost > 0 && { lost }),
          ...(found !== undefined && { found }),
          ...(waits !== undefined && { waits }),
          ...(listening.length > 0 && { listening }),
          ...(traffic.length > 0 && { network: traffic }),
          ...(pushes.length > 0 && { pushed: pushes }),
          ...(notes.length > 0 && { notes }),
        }),
      ),
      ...(changed !== undefined && changed.count > 0 && { _meta: { 'drawbridge/changedRunFiles': changed } }),
    };
  };

export type Report = ReturnType<typeof createReports>;

/** Of a process of an earlier daemon, of which nothing is known but that it ended with that. */
export const endedWithDaemon = (id: string): ToolResult =>
  textResult(
    JSON.stringify({
      process: id,
      state: 'ended',
      ended: 'daemon',
      notes: [
        'drawbridge was restarted on the machine, which ended its processes. Start it again if it is needed.',
      ],
    }),
  );
