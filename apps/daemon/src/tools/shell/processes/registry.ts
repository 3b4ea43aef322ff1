import { personCallerId, type RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Mode } from '@drawbridge/contracts/groups';
import type { EndCause } from '@drawbridge/contracts/machines/processes';
import type { Clock } from '@drawbridge/kit';
import { customAlphabet } from 'nanoid';
import { errors } from '../../common/errors.ts';
import type { ProcessPort } from '../../common/network/process-hosts.ts';
import type { Resource } from '../../common/tool.ts';
import type { Beside } from '../network/besides.ts';
import { processLimits } from './limits.ts';
import { startProcess, type Process, type ProcessNeeds, type ProcessSpec } from './process.ts';

const checkEveryMs = 1_000;
const epochOf = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 6);

/** A process belongs to who started it, and to the person. */
const isOf = ({ owner }: Process, caller: RequestCaller | undefined): boolean =>
  caller?.id === personCallerId || owner?.id === caller?.id;

const besideOf = (one: Process): Beside => ({
  id: one.id,
  command: one.command,
  hosts: one.hosts,
  isOf: (caller) => isOf(one, caller),
});

export interface RegistryNeeds {
  clock: Clock;
  access(resource: Resource): Promise<Mode>;
}

const causeToEnd = async ({ clock, access }: RegistryNeeds, one: Process): Promise<EndCause | undefined> => {
  const now = clock.now();
  if (now - one.startedAt >= processLimits.lifeMs) return 'life';
  if (now - one.idleSince() >= processLimits.idleMs) return 'idle';
  // Also reads the settings again, by which paths are closed.
  if ((await access(one.resource)) === 'deny' || one.isPathClosedSince()) return 'denied';
  return undefined;
};

/** The processes in the background of this daemon, which end with it. */
export const createProcesses = ({ clock, access }: RegistryNeeds) => {
  /** In each id: a process of an earlier daemon is not taken for one of this. */
  const epoch = epochOf();
  const all = new Map<string, Process>();
  let started = 0;
  let isClosed = false;
  let stopChecks: (() => void) | undefined;

  const running = () => [...all.values()].filter((one) => one.end() === undefined);

  const forget = () => {
    const ended = [...all.values()].filter((one) => one.end() !== undefined);
    const old = clock.now() - processLimits.endedKeptMs;
    const surplus = ended.length - processLimits.endedKept;
    for (const [at, one] of ended.entries())
      if (at < surplus || (one.end()?.at ?? 0) < old) all.delete(one.id);
  };

  const check = async (): Promise<void> => {
    forget();
    const now = running();
    if (now.length === 0) {
      stopChecks?.();
      stopChecks = undefined;
    }
    for (const one of now) {
      const cause = await causeToEnd({ clock, access }, one);
      if (cause !== undefined) one.stop(cause);
    }
  };

  /** Settings that cannot be read end nothing; each call says so. */
  const watch = () => (stopChecks ??= clock.every(checkEveryMs, () => void check().catch(() => undefined)));

  const isFull = (caller: RequestCaller | undefined): boolean => {
    const now = running();
    const own = now.filter(({ owner }) => owner?.id === caller?.id);
    return now.length >= processLimits.atOnce || own.length >= processLimits.ofOneCaller;
  };

  return {
    canStart: (caller: RequestCaller | undefined) => !isClosed && !isFull(caller),
    /** Throws `tooManyProcesses`. */
    start: (spec: ProcessSpec, needs: ProcessNeeds): Process => {
      if (isClosed) throw errors.unknownTool();
      if (isFull(spec.owner)) throw errors.tooManyProcesses();
      started += 1;
      const one = startProcess(`p${started}-${epoch}`, spec, needs);
      all.set(one.id, one);
      watch();
      return one;
    },
    /** One that could not be started leaves nothing. */
    drop: (one: Process) => void all.delete(one.id),
    /** Of the caller, the newest last. */
    list: (caller: RequestCaller | undefined): Process[] => {
      forget();
      return [...all.values()].filter((one) => isOf(one, caller));
    },
    /** Throws `unknownProcess`, also for one of another caller. */
    find: (id: string, caller: RequestCaller | undefined): Process => {
      const one = all.get(id);
      if (one === undefined || !isOf(one, caller)) throw errors.unknownProcess();
      return one;
    },
    /** Those that could send what other commands write into the folder. */
    withHosts: (): Beside[] =>
      running()
        .filter(({ hosts }) => hosts.length > 0)
        .map(besideOf),
    /** A port that a running process was started with. */
    findPort: (id: string, port: number): ProcessPort | undefined => {
      const one = all.get(id);
      const { opened } = one ?? {};
      if (one === undefined || opened === undefined || one.end() !== undefined) return undefined;
      return one.ports.includes(port)
        ? { owner: one.owner, isOf: (caller) => isOf(one, caller), connect: () => opened.connect(port) }
        : undefined;
    },
    /** Whether the id is of another daemon's life, with which it has ended. */
    isOfEarlier: (id: string): boolean => /^p\d{1,9}-[0-9a-z]{6}$/.test(id) && !id.endsWith(`-${epoch}`),
    /** Ends all, and resolves when nothing of them runs. */
    close: async () => {
      isClosed = true;
      stopChecks?.();
      const now = running();
      for (const one of now) one.stop('daemon');
      await Promise.all(now.map(({ done }) => done));
    },
  };
};

export type Processes = ReturnType<typeof createProcesses>;
