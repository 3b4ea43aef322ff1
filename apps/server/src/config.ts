import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { agentAliases, agentConfig } from './agent/config-schema.ts';
import { authConfig } from './auth/config-schema.ts';
import { channelsConfig } from './channels/config-schema.ts';
import { chooseDataDir, isPostgresUrl, storeConfig } from './db/config-schema.ts';
import { doorsConfig } from './doors/config-schema.ts';
import { gatewayConfig } from './gateway/config-schema.ts';
import { httpConfig, limitsConfig } from './http/config-schema.ts';
import { apnsProblem, notifyConfig } from './notify/config-schema.ts';
import { opsConfig } from './ops/config-schema.ts';
import { setting } from './program/setting.ts';
import { speechProblem, voiceConfig } from './voice/config-schema.ts';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const logConfig = z.object({
  logLevel: setting(
    'LOG_LEVEL',
    `One of ${levels.join(', ')}. Default: \`warn\` as text, \`info\` as JSON.`,
    z.enum(levels).optional(),
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'The format of a log line. Default: `text` on a terminal, else `json`.',
    z.enum(['text', 'json']).optional(),
  ),
});

/** Every setting, in the order of `--help` and of docs/configuration.md. */
const settings = z.object({
  ...httpConfig.shape,
  ...storeConfig.shape,
  ...authConfig.shape,
  ...gatewayConfig.shape,
  ...agentConfig.shape,
  ...channelsConfig.shape,
  ...voiceConfig.shape,
  ...notifyConfig.shape,
  ...doorsConfig.shape,
  ...opsConfig.shape,
  ...limitsConfig.shape,
  ...logConfig.shape,
});

type Settings = z.output<typeof settings>;

/** The settings of the server, complete with the defaults that depend on its surroundings. */
export interface Config extends Settings {
  dataDir: string;
  logLevel: (typeof levels)[number];
  logFormat: 'text' | 'json';
  /** What programs of this machine get of the environment: no setting and no key of the server. */
  programEnvironment: Record<string, string>;
  /** Where a Compose file is looked for. */
  composeFolders: string[];
}

interface Surroundings {
  /** Whether the log goes to a terminal. */
  terminal: boolean;
}

export type ConfigResult = { config: Config } | { problem: string };

const rows = Object.entries(settings.shape).map(([key, schema]) => ({
  key,
  name: schema.meta()?.title ?? key,
  fallback: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null,
  about: schema.description ?? '',
}));

/** Other names of variables, which count where the first is not set. */
const aliases: Readonly<Record<string, string>> = {
  GATEWAY_API_KEY: 'N8N_INSTANCE_AI_GATEWAY_API_KEY',
  ...agentAliases,
};

class UnreadableFile extends Error {}

/** The first line of the file that `<name>_FILE` names, as containers are given secrets. */
const fileText = (name: string, environment: NodeJS.ProcessEnv): string | undefined => {
  const file = environment[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] || undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new UnreadableFile(`${name}_FILE: the file cannot be read${code}`);
  }
};

/** The text of each setting, by its key. An empty variable counts as unset. */
const textsOf = (environment: NodeJS.ProcessEnv) => {
  const textOf = (name: string) =>
    environment[name] || environment[aliases[name] ?? ''] || fileText(name, environment);
  return Object.fromEntries(rows.map(({ key, name }) => [key, textOf(name)]));
};

const programVariables = [
  'PATH',
  'HOME',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
];

const programEnvironmentOf = (environment: NodeJS.ProcessEnv): Record<string, string> => {
  const given = programVariables.flatMap((name) => {
    const value = environment[name];
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(given), LC_ALL: 'C' };
};

/** Settings that only work together. */
const serversProblem = ({ redisUrl, databaseUrl, secret }: Settings): string | null => {
  if (redisUrl === undefined) return null;
  if (!isPostgresUrl(databaseUrl))
    return 'REDIS_URL: connects several servers, which need DATABASE_URL with postgres://';
  return secret === undefined ? 'REDIS_URL: several servers need the same SECRET' : null;
};

/** Reads the configuration, or names the wrong variable in one sentence, which never contains the value. */
export const readConfig = (
  environment: NodeJS.ProcessEnv = process.env,
  { terminal }: Surroundings = { terminal: process.stderr.isTTY },
): ConfigResult => {
  let texts;
  try {
    texts = textsOf(environment);
  } catch (error) {
    if (error instanceof UnreadableFile) return { problem: error.message };
    throw error;
  }
  const read = settings.safeParse(texts);
  if (!read.success) {
    const issue = read.error.issues[0];
    const name = rows.find(({ key }) => key === issue?.path[0])?.name ?? 'The environment';
    return { problem: `${name}: ${issue?.message ?? 'is not valid'}` };
  }
  const { data } = read;
  const problem = serversProblem(data) ?? speechProblem(data) ?? apnsProblem(data);
  if (problem !== null) return { problem };
  const dataDir = chooseDataDir({
    given: data.dataDir,
    dataHome: environment.XDG_DATA_HOME,
    home: homedir,
    cwd: process.cwd(),
    exists: existsSync,
  });
  const logFormat = data.logFormat ?? (terminal ? 'text' : 'json');
  const logLevel = data.logLevel ?? (logFormat === 'text' ? 'warn' : 'info');
  const programEnvironment = programEnvironmentOf(environment);
  const composeFolders = [dirname(dataDir), startedIn(environment)];
  return { config: { ...data, dataDir, logFormat, logLevel, programEnvironment, composeFolders } };
};

/** The folder in which the user called: a script of the workspace runs at its root. */
export const startedIn = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.INIT_CWD ?? process.cwd();

/** The configuration of these variables alone, by their names. */
export const configFrom = (
  environment: Record<string, string>,
  surroundings: Surroundings = { terminal: false },
): Config => {
  const result = readConfig(environment, surroundings);
  if ('problem' in result) throw new Error(result.problem);
  return result.config;
};

/** One row for each variable; `fallback` is null where the text names the default. */
export const configRows = (): { name: string; fallback: string | null; about: string }[] =>
  rows.map(({ name, fallback, about }) => ({ name, fallback, about }));
