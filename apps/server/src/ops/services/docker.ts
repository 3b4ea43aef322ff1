import { jsonOf } from '@drawbridge/kit';
import { z } from 'zod';
import { levelIn, type LogLine } from './log-line.ts';
import type { ProgramResult, RunProgram } from './run-program.ts';

/** A service of the Compose file, with its container where there is one. */
export interface ComposeService {
  service: string;
  /** For people. */
  name: string;
  /** `running`, `exited`, …; `absent` without a container. */
  state: string;
  health: string;
  statusText: string;
  containerName: string | null;
}

export type ComposeServices =
  | { kind: 'listed'; services: ComposeService[] }
  | { kind: 'unavailable'; reason: string };

const controlMs = 60_000;
const pullMs = 10 * 60_000;

const composeConfig = z.object({
  services: z
    .record(
      z.string(),
      z.object({
        image: z.string().default(''),
        labels: z
          .object({ 'drawbridge.name': z.string().trim().min(1).max(64) })
          .optional()
          .catch(undefined),
      }),
    )
    .default({}),
});
const container = z.object({
  Service: z.string(),
  Name: z.string().default(''),
  State: z.string().default('unknown'),
  Health: z.string().default(''),
  Status: z.string().default(''),
});

/** By the image, without registry and tag. */
const knownNames = new Map([
  ['whisper.cpp', 'Whisper (whisper.cpp)'],
  ['llama.cpp', 'llama.cpp'],
  ['ollama', 'Ollama'],
  ['searxng', 'SearXNG'],
  ['n8n', 'n8n'],
]);
const imageName = /([^/:@]+)(?:[:@].*)?$/;

const serviceName = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const ownName = /(^|\/)drawbridge([:@]|$)/;

/** Why Docker has not answered, without its words: they name paths. */
const reasonOf = (result: ProgramResult): string => {
  if (result.kind === 'missing') return 'There is no docker program on this machine';
  if (result.kind === 'timed-out') return 'Docker did not answer within 5 s';
  if (/is not a docker command|unknown (shorthand )?flag|unknown command/i.test(result.stderr))
    return 'Docker has no compose plugin';
  if (/cannot connect|is the docker daemon running|connection refused|no such host/i.test(result.stderr))
    return 'Docker is not running';
  if (/permission denied/i.test(result.stderr)) return 'The server may not use Docker';
  return 'Docker Compose cannot read the Compose file';
};

/** Older releases print one array, newer ones one object a line. */
const containersIn = (stdout: string) => {
  const whole = jsonOf(stdout);
  const values = Array.isArray(whole) ? whole : stdout.split('\n').map(jsonOf);
  return values.flatMap((value) => container.safeParse(value).data ?? []);
};

const servicesIn = (stdout: string): { service: string; name: string }[] => {
  const { services } = composeConfig.parse(jsonOf(stdout) ?? {});
  return Object.entries(services)
    .filter(([name, { image }]) => serviceName.test(name) && !ownName.test(name) && !ownName.test(image))
    .map(([service, { image, labels }]) => {
      const known = knownNames.get(imageName.exec(image)?.[1] ?? '');
      return { service, name: labels?.['drawbridge.name'] ?? known ?? service };
    });
};

const toService = (
  named: { service: string; name: string },
  found: z.infer<typeof container> | undefined,
): ComposeService => ({
  ...named,
  state: found?.State ?? 'absent',
  health: found?.Health || 'none',
  statusText: found?.Status ?? 'No container',
  containerName: found?.Name || null,
});

const logLine = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/;

const toLine = (line: string): LogLine[] => {
  const [, at, text = ''] = logLine.exec(line) ?? [];
  return at === undefined ? [] : [{ ts: Date.parse(at), level: levelIn(text), text }];
};

/** Docker Compose with one file. Service names come from that file. */
export const createCompose = (runProgram: RunProgram, fileOf: () => string | undefined) => {
  const run = (args: readonly string[], timeoutMs?: number) =>
    runProgram({
      name: 'docker',
      args: ['compose', '--file', fileOf() ?? '', '--profile', '*', ...args],
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  const succeeded = (result: ProgramResult) => result.kind === 'ended' && result.code === 0;

  return {
    /** Those of every profile, without the server's own. */
    services: async (): Promise<ComposeServices> => {
      if (fileOf() === undefined)
        return { kind: 'unavailable', reason: 'There is no Compose file; OPS_COMPOSE_FILE can name one' };
      const config = await run(['config', '--format', 'json']);
      if (config.kind !== 'ended' || config.code !== 0)
        return { kind: 'unavailable', reason: reasonOf(config) };
      const listed = await run(['ps', '--all', '--format', 'json']);
      if (listed.kind !== 'ended' || listed.code !== 0)
        return { kind: 'unavailable', reason: reasonOf(listed) };
      const containers = new Map(containersIn(listed.stdout).map((one) => [one.Service, one]));
      const services = servicesIn(config.stdout).map((named) =>
        toService(named, containers.get(named.service)),
      );
      return { kind: 'listed', services };
    },
    control: (service: string, action: 'start' | 'stop' | 'restart') => run([action, service], controlMs),
    /** Pulls the image, then starts the service with it. */
    update: async (service: string): Promise<ProgramResult> => {
      const pulled = await run(['pull', service], pullMs);
      return succeeded(pulled) ? run(['up', '--detach', service], controlMs) : pulled;
    },
    /** The newest lines, oldest first; null if they cannot be read. */
    log: async (
      service: string,
      { lines, sinceSeconds }: { lines: number; sinceSeconds: number },
    ): Promise<{ lines: LogLine[]; isCut: boolean } | null> => {
      const options = ['--no-color', '--no-log-prefix', '--timestamps'];
      const read = await run(['logs', ...options, `--tail=${lines}`, `--since=${sinceSeconds}s`, service]);
      if (read.kind !== 'ended' || (read.code !== 0 && !read.isCut)) return null;
      return { lines: read.stdout.split('\n').flatMap(toLine), isCut: read.isCut };
    },
  };
};

export type Compose = ReturnType<typeof createCompose>;
