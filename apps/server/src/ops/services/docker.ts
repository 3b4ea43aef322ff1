import type { DockerDependency, ServiceAction, ServiceLogLine } from '@drawbridge/contracts/rpc/ops';
import { jsonOf } from '@drawbridge/kit';
import { z } from 'zod';
import { logIn, requireDone, withoutActions, type ServiceAdapter } from './adapter.ts';
import type { EndedProgram, ProgramResult, RunProgram } from './run-program.ts';

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

const actionsOf = (state: string): ServiceAction[] => {
  if (state === 'running') return ['restart', 'stop', 'update'];
  return state === 'absent' ? ['update'] : ['start', 'update'];
};

/** The services of a configuration with their containers; `absent` without one. */
const servicesIn = (config: string, listed: string): DockerDependency[] => {
  const { services } = composeConfig.parse(jsonOf(config) ?? {});
  const containers = new Map(containersIn(listed).map((one) => [one.Service, one]));
  return Object.entries(services)
    .filter(([name, { image }]) => serviceName.test(name) && !ownName.test(name) && !ownName.test(image))
    .map(([service, { image, labels }]) => {
      const known = knownNames.get(imageName.exec(image)?.[1] ?? '');
      const found = containers.get(service);
      const state = found?.State ?? 'absent';
      return {
        id: service,
        service,
        name: labels?.['drawbridge.name'] ?? known ?? service,
        configured: true,
        state,
        health: found?.Health || 'none',
        statusText: found?.Status ?? 'No container',
        containerName: found?.Name ?? '',
        availableActions: actionsOf(state),
      };
    });
};

const logLine = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/;

/** The level that a line of plain text names. */
const levelIn = (text: string): ServiceLogLine['level'] => {
  if (/\b(error|fatal|panic|critical)\b/i.test(text)) return 'error';
  if (/\bwarn(ing)?\b/i.test(text)) return 'warn';
  return /\b(debug|trace)\b/i.test(text) ? 'debug' : 'info';
};

const toLine = (line: string): ServiceLogLine | null => {
  const [, at, text = ''] = logLine.exec(line) ?? [];
  return at === undefined ? null : { ts: Date.parse(at), level: levelIn(text), text };
};

interface Needs {
  run: RunProgram;
  /** The Compose file, which may come and go. */
  file(): string | undefined;
  /** `OPS_CONTROL`. */
  hasControl: boolean;
}

/** Services beside the server by Docker Compose with one file, of every profile, without the server's own. */
export const createDocker = ({ run, file, hasControl }: Needs): ServiceAdapter<DockerDependency> => {
  const compose = (args: readonly string[], timeoutMs?: number) => {
    const options = ['compose', '--file', file() ?? '', '--profile', '*'];
    return run({ name: 'docker', args: [...options, ...args], timeoutMs });
  };
  const succeeded = (result: ProgramResult): result is EndedProgram =>
    result.kind === 'ended' && result.code === 0;

  /** Pulls the image, then starts the service with it. */
  const update = async (service: string): Promise<ProgramResult> => {
    const pulled = await compose(['pull', service], pullMs);
    return succeeded(pulled) ? compose(['up', '--detach', service], controlMs) : pulled;
  };

  return {
    list: async () => {
      if (file() === undefined)
        return { services: [], reason: 'There is no Compose file; OPS_COMPOSE_FILE can name one' };
      const config = await compose(['config', '--format', 'json']);
      if (!succeeded(config)) return { services: [], reason: reasonOf(config) };
      const listed = await compose(['ps', '--all', '--format', 'json']);
      if (!succeeded(listed)) return { services: [], reason: reasonOf(listed) };
      const services = servicesIn(config.stdout, listed.stdout);
      return { services: hasControl ? services : services.map(withoutActions) };
    },
    control: async ({ service }, action) => {
      const done = action === 'update' ? update(service) : compose([action, service], controlMs);
      requireDone(await done, 'Docker', 'in time');
    },
    logs: async ({ service }, { lines, sinceSeconds }) => {
      const options = ['--no-color', '--no-log-prefix', '--timestamps'];
      const range = [`--tail=${lines}`, `--since=${sinceSeconds}s`];
      return logIn(await compose(['logs', ...options, ...range, service]), toLine);
    },
  };
};
