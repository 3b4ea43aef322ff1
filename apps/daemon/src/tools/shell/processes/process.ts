import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { EndCause } from '@drawbridge/contracts/machines/processes';
import { canonical, type Clock } from '@drawbridge/kit';
import type { DeniedPaths, Resource } from '../../../permission/index.ts';
import { watchTree } from '../../../processes/watchdog.ts';
import { errors } from '../../common/errors.ts';
import type { CommandHandle, FollowedCommand, FollowedEnd, OutputName } from '../follow-command.ts';
import type { CommandEgress } from '../network/command-egress.ts';
import { listeningPorts, type ProcessPorts } from '../ports/process-ports.ts';
import { endOfInput, interruptKey, toSequence } from '../terminal/keys.ts';
import { hidesInput, type TerminalSize } from '../terminal/terminal.ts';
import { noChange } from '../sandbox/run-files.ts';
import { processLimits } from './limits.ts';
import { createOutputBuffer, plainOutput } from './output.ts';
import { findWait, type Waits } from './waits.ts';

export interface ProcessSpec {
  /** Marks all that it starts. */
  tag: string;
  command: string;
  folder: string;
  hosts: readonly string[];
  /** As it was allowed. */
  resource: Resource;
  /** Absent from a server that does not say who calls. */
  owner: RequestCaller | undefined;
  /** Written at once; it ends then, unless more may be typed. */
  stdin?: string | undefined;
  terminal?: TerminalSize | undefined;
  /** Whether its caller types without being asked again. */
  takesInput: boolean;
}

export interface ProcessNeeds {
  root: string;
  clock: Clock;
  /** Starts its command and follows it, or follows one that runs; as `followCommand`. */
  follow(options: Pick<FollowedCommand, 'open' | 'signal'>): Promise<FollowedEnd>;
  /** Where it runs already. */
  startedAtMs?: number;
  egress: CommandEgress | undefined;
  /** Present where it was started with ports. */
  opened: ProcessPorts | undefined;
  /** As they were when its command started. */
  closedPaths: DeniedPaths;
  deniedPaths(): DeniedPaths;
}

const lastLineChars = 500;

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** The signal that a shell's exit code stands for. */
const signalOf = (exitCode: number | null): string | undefined =>
  exitCode === null || exitCode <= 128 ? undefined : signalNames.get(exitCode - 128);

const pathsOf = ({ read, write }: DeniedPaths): ReadonlySet<string> => new Set([...read, ...write]);

const createListeners = () => {
  const listeners = new Set<() => void>();
  return {
    changed: () => {
      for (const listen of [...listeners]) listen();
    },
    /** Calls on output and at its end; gives a function that stops it. */
    onChange: (listen: () => void) => {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
  };
};

/** When something was last read, written, printed or sent over the connections. */
const createActivity = ({ clock, egress, opened }: ProcessNeeds) => {
  const trafficNow = () => canonical([...(egress?.traffic() ?? []), opened?.bytes() ?? 0]);
  let at = clock.now();
  let lastTraffic = trafficNow();
  const touch = () => void (at = clock.now());
  return {
    touch,
    idleSince: () => {
      const traffic = trafficNow();
      if (traffic !== lastTraffic) touch();
      lastTraffic = traffic;
      return at;
    },
  };
};

/** Throws `inputRefused` where it takes no more. */
const writeInput = (stdin: Writable | null | undefined, text: string, ends: boolean): void => {
  if (!stdin?.writable)
    throw errors.inputRefused({ message: 'The process takes no input: it, or its input, has ended' });
  if (stdin.writableLength + Buffer.byteLength(text) > processLimits.waitingInputBytes)
    throw errors.inputRefused({
      message: 'The process does not read its input: 256 KiB wait already, and nothing was written',
    });
  if (text !== '') stdin.write(text);
  if (ends) stdin.end();
};

/** What the daemon does when the process has been started; `calledOff` ends what watches it. */
const attach = (handle: CommandHandle, { stdin, takesInput, tag, terminal }: ProcessSpec) => {
  if (stdin !== undefined && terminal)
    writeInput(handle.stdin, stdin + (takesInput ? '' : endOfInput), false);
  else if (stdin !== undefined) writeInput(handle.stdin, stdin, !takesInput);
  return handle.group === undefined ? () => {} : watchTree({ group: handle.group, tag });
};

/** The command of a process, followed to its end. `begun` rejects where it could not be started. */
const runInBackground = (spec: ProcessSpec, needs: ProcessNeeds) => {
  const { clock, egress, opened } = needs;
  const output = createOutputBuffer(processLimits.outputChars);
  const abort = new AbortController();
  const begun = Promise.withResolvers<void>();
  const { changed, onChange } = createListeners();
  const activity = createActivity(needs);
  let handle: CommandHandle | undefined;
  let callOff = () => {};
  let stopCause: EndCause | undefined;
  let end: (FollowedEnd & { cause: EndCause; at: number }) | undefined;

  const finish = (followed: FollowedEnd, cause: EndCause) => {
    callOff();
    egress?.close();
    opened?.close();
    output.trim(processLimits.endedOutputChars);
    end = { ...followed, cause: stopCause ?? cause, at: clock.now() };
    changed();
  };
  const open = (next: CommandHandle) => {
    handle = next;
    output.clear();
    callOff();
    callOff = attach(next, spec);
    begun.resolve();
    return (name: OutputName, chunk: Buffer) => {
      output.add(name, chunk);
      activity.touch();
      changed();
    };
  };
  const done = needs.follow({ open, signal: abort.signal }).then(
    (followed) => finish(followed, 'exited'),
    (error: unknown) => {
      begun.reject(error);
      finish({ exitCode: null, left: { notes: [], changed: noChange } }, 'failed');
    },
  );
  // Who started it waits for `begun`; an error after that is the cause of its end.
  begun.promise.catch(() => undefined);

  return {
    ...activity,
    output,
    begun: begun.promise,
    /** Resolves when nothing of it runs any more. */
    done,
    onChange,
    end: () => end,
    handle: () => (end === undefined ? handle : undefined),
    /** TERM for all of it, and KILL after 2 s. */
    stop: (cause: EndCause) => {
      if (end !== undefined) return;
      stopCause ??= cause;
      abort.abort();
    },
  };
};

/** One process in the background, from its start on. */
export const startProcess = (id: string, spec: ProcessSpec, needs: ProcessNeeds) => {
  const startedAt = needs.startedAtMs ?? needs.clock.now();
  const { handle, ...running } = runInBackground(spec, needs);
  const { output, end, stop } = running;

  const lastLine = (): string => {
    const { text } = output.read(output.end() - lastLineChars);
    return plainOutput(text).split('\n').at(-1) ?? '';
  };

  return {
    id,
    ...spec,
    ...running,
    startedAt,
    egress: needs.egress,
    opened: needs.opened,
    ports: needs.opened?.ports ?? [],
    /** Where something listens in its own network now; empty without one. */
    listening: (): number[] => {
      const innermost = handle()?.innermost();
      return innermost === undefined ? [] : listeningPorts(innermost);
    },
    signalName: () => signalOf(end()?.exitCode ?? null),
    /** Whether a deny rule closes a path that was open to it at its start. */
    isPathClosedSince: () => {
      const before = pathsOf(needs.closedPaths);
      return [...pathsOf(needs.deniedPaths())].some((path) => !before.has(path));
    },
    waits: (): Waits | undefined => {
      const innermost = handle()?.innermost();
      if (innermost === undefined) return undefined;
      const { terminal } = spec;
      if (terminal && hidesInput(needs.root, innermost)) return 'password';
      return findWait(innermost, lastLine(), { inTerminal: terminal !== undefined });
    },
    /** Throws `inputRefused`. */
    write: (text: string, { ends }: { ends: boolean }) => {
      if (spec.terminal) writeInput(handle()?.stdin, text + (ends ? endOfInput : ''), false);
      else writeInput(handle()?.stdin, text, ends);
      running.touch();
    },
    /** A signal that it may ignore. */
    interrupt: async () => {
      if (spec.terminal) writeInput(handle()?.stdin, toSequence([interruptKey]), false);
      else await handle()?.signal('SIGINT');
    },
    kill: async (cause: EndCause) => {
      stop(cause);
      await handle()?.signal('SIGKILL');
    },
  };
};

export type Process = ReturnType<typeof startProcess>;
