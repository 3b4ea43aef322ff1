import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseUrl } from '@drawbridge/kit';
import { z } from 'zod';
import { chooseDataDir } from './data-dir.ts';

const megabyte = 1024 * 1024;

const whole = (least: number, most: number) =>
  z
    .stringFormat('whole-number', /^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.number().min(least).max(most));
const onOff = z.enum(['true', 'false']).transform((text) => text === 'true');
const keyText = z
  .string()
  .min(32)
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without blanks');

const isOrigin = (text: string) => {
  const url = parseUrl(text);
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  );
};
const publicUrl = z
  .string()
  .refine(isOrigin, 'must be an http or https origin alone, such as https://bridge.example.org');

const isAddress = (text: string) => {
  const [address = '', prefix] = text.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  return (
    prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128) && Number(prefix) > 0)
  );
};
const addresses = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine((all) => all.every(isAddress), 'must be IP addresses or ranges, separated by commas');

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting, by the name of its environment variable: how it is read, its default, and what it is for. */
const variables = z.object({
  HOST: z.string().min(1).prefault('127.0.0.1').describe('Address to listen on.'),
  PORT: whole(0, 65_535).prefault('5820').describe('Port to listen on; 0 picks a free one.'),
  PUBLIC_URL: publicUrl
    .optional()
    .describe('Where people and machines reach the server. Default: `http://<HOST>:<PORT>`.'),
  DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of the store and of the secret that signs cookies. Default: `./data` where a server has run in it, else `$XDG_DATA_HOME/drawbridge`, else `~/.local/share/drawbridge`.',
    ),
  DATABASE_URL: z
    .string()
    .min(1)
    .optional()
    .describe('The store, as `file:<path>`. Default: `drawbridge.db` in `DATA_DIR`.'),
  GATEWAY_API_KEY: keyText
    .optional()
    .describe(
      'A fixed key for one machine, at least 32 characters. The owner uses that machine. Also read as `N8N_INSTANCE_AI_GATEWAY_API_KEY`.',
    ),
  GATEWAY_ALLOW_QUERY_KEY: onOff
    .prefault('true')
    .describe('Whether a daemon may give its key as `?apiKey=` when it opens its stream.'),
  GATEWAY_FALLBACK_DIRECTORY: z
    .string()
    .min(1)
    .optional()
    .describe('Folder that the panel names when no machine is connected.'),
  SETUP_TOKEN: keyText
    .optional()
    .describe(
      'The token that makes the owner account, at least 32 characters. Default: a new one at each start until there is an owner.',
    ),
  DAEMON_COMMAND: z
    .string()
    .includes('{url}')
    .includes('{token}')
    .prefault('npx --yes {daemon} {url} {token} {flags}')
    .describe(
      'The command that the panel shows; `{url}`, `{token}` and `{daemon}`, the address of the packed daemon with its version, are filled in, and `{flags}` with `--allow-insecure-http` where the address is http:// of another machine.',
    ),
  DAEMON_FILE: z
    .string()
    .endsWith('.tgz')
    .optional()
    .describe(
      'The packed daemon that machines download, with its `.json` beside it. Default: the one built with this server.',
    ),
  SESSION_KEY_IDLE_DAYS: whole(1, 3_650)
    .prefault('30')
    .describe('Days without use after which a machine must be paired again.'),
  KEEP_CALLS_DAYS: whole(0, 36_500)
    .prefault('90')
    .describe(
      'Days after which a call that has ended is deleted, with its questions; 0 keeps them for ever.',
    ),
  CALL_MAX_MS: whole(30_000, 86_400_000)
    .prefault('600000')
    .describe('The longest that one tool call may take, in milliseconds.'),
  MCP_WAIT_MS: whole(1_000, 600_000)
    .prefault('50000')
    .describe(
      'How long an MCP client is kept waiting while the person is asked, in milliseconds; then it asks again.',
    ),
  RESULT_MAX_BYTES: whole(1_024, 256 * megabyte)
    .prefault(String(16 * megabyte))
    .describe('The largest result of a tool call, in bytes.'),
  SIGN_IN_PER_MINUTE: whole(1, 100_000)
    .prefault('20')
    .describe(
      'Tries to sign in or to change a password, of one address in a minute; as many at one account.',
    ),
  SETUP_PER_MINUTE: whole(1, 100_000)
    .prefault('10')
    .describe('Attempts at set-up or with an invitation, of one address in a minute.'),
  PAIRING_PER_MINUTE: whole(1, 100_000)
    .prefault('30')
    .describe('Failed pairings of one address in a minute.'),
  NOT_FOUND_PER_MINUTE: whole(1, 100_000)
    .prefault('120')
    .describe('Requests to addresses that do not exist, of one address in a minute.'),
  TOKEN_PER_MINUTE: whole(1, 10_000_000)
    .prefault('1200')
    .describe('Requests with one access token, or of one client of a person, in a minute.'),
  STREAMS_PER_ADDRESS: whole(1, 1_000_000)
    .prefault('10000')
    .describe('Machines that one address may have connected; behind a proxy see `TRUST_PROXY`.'),
  STREAMS_PER_USER: whole(3, 10_000)
    .prefault('60')
    .describe('Live streams that one person may have open; a window of the panel has one.'),
  TRUST_PROXY: addresses
    .optional()
    .describe('Addresses or ranges of proxies whose `X-Forwarded-For` is believed, separated by commas.'),
  LOG_LEVEL: z
    .enum(levels)
    .optional()
    .describe(`One of ${levels.join(', ')}. Default: \`warn\` as text, \`info\` as JSON.`),
  LOG_FORMAT: z
    .enum(['text', 'json'])
    .optional()
    .describe('How a line of log is written. Default: `text` on a terminal, else `json`.'),
});

type Variables = z.infer<typeof variables>;

/** What the server runs with. Sizes are bytes, times milliseconds. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  gatewayApiKey: string | undefined;
  allowQueryKey: boolean;
  fallbackDirectory: string | null;
  setupToken: string | undefined;
  daemonCommand: string;
  /** Undefined: the one built with this server. */
  daemonFile: string | undefined;
  sessionKeyIdleMs: number;
  /** Null: for ever. */
  keepCallsMs: number | null;
  callMaxMs: number;
  mcpWaitMs: number;
  resultMaxBytes: number;
  perMinute: { signIn: number; setup: number; pairing: number; notFound: number; bearer: number };
  streamsPerAddress: number;
  streamsPerUser: number;
  trustProxy: string[];
  logLevel: (typeof levels)[number];
  logFormat: 'text' | 'json';
}

const dayMs = 24 * 60 * 60 * 1_000;

interface Surroundings {
  /** Whether the log goes to a terminal. */
  terminal: boolean;
}

const logOf = (read: Variables, { terminal }: Surroundings): Pick<Config, 'logLevel' | 'logFormat'> => {
  const logFormat = read.LOG_FORMAT ?? (terminal ? 'text' : 'json');
  return { logFormat, logLevel: read.LOG_LEVEL ?? (logFormat === 'text' ? 'warn' : 'info') };
};

const fromVariables = (
  read: Variables,
  { dataDir, terminal }: Surroundings & { dataDir: string },
): Config => ({
  host: read.HOST,
  port: read.PORT,
  publicUrl: read.PUBLIC_URL === undefined ? undefined : new URL(read.PUBLIC_URL).origin,
  dataDir,
  databaseUrl: read.DATABASE_URL,
  gatewayApiKey: read.GATEWAY_API_KEY,
  allowQueryKey: read.GATEWAY_ALLOW_QUERY_KEY,
  fallbackDirectory: read.GATEWAY_FALLBACK_DIRECTORY ?? null,
  setupToken: read.SETUP_TOKEN,
  daemonCommand: read.DAEMON_COMMAND,
  daemonFile: read.DAEMON_FILE === undefined ? undefined : resolve(read.DAEMON_FILE),
  sessionKeyIdleMs: read.SESSION_KEY_IDLE_DAYS * dayMs,
  keepCallsMs: read.KEEP_CALLS_DAYS === 0 ? null : read.KEEP_CALLS_DAYS * dayMs,
  callMaxMs: read.CALL_MAX_MS,
  mcpWaitMs: read.MCP_WAIT_MS,
  resultMaxBytes: read.RESULT_MAX_BYTES,
  perMinute: {
    signIn: read.SIGN_IN_PER_MINUTE,
    setup: read.SETUP_PER_MINUTE,
    pairing: read.PAIRING_PER_MINUTE,
    notFound: read.NOT_FOUND_PER_MINUTE,
    bearer: read.TOKEN_PER_MINUTE,
  },
  streamsPerAddress: read.STREAMS_PER_ADDRESS,
  streamsPerUser: read.STREAMS_PER_USER,
  trustProxy: read.TRUST_PROXY ?? [],
  ...logOf(read, { terminal }),
});

export type ConfigResult = { config: Config } | { problem: string };

/** An empty variable counts as unset. */
const given = (environment: NodeJS.ProcessEnv) => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  return { ...set, GATEWAY_API_KEY: set.GATEWAY_API_KEY ?? set.N8N_INSTANCE_AI_GATEWAY_API_KEY };
};

/** Reads the configuration, or says in one sentence which value is wrong. The sentence never holds the value. */
export const readConfig = (
  environment: NodeJS.ProcessEnv = process.env,
  surroundings: Surroundings = { terminal: process.stderr.isTTY },
): ConfigResult => {
  const read = variables.safeParse(given(environment));
  if (read.success) {
    const dataDir = chooseDataDir({
      given: read.data.DATA_DIR,
      dataHome: environment.XDG_DATA_HOME,
      home: homedir,
      cwd: process.cwd(),
      exists: existsSync,
    });
    return { config: fromVariables(read.data, { ...surroundings, dataDir }) };
  }
  const issue = read.error.issues[0];
  return { problem: `${issue?.path.join('.') ?? 'The environment'}: ${issue?.message ?? 'is not valid'}` };
};

/** The folder in which the person called: a script of the workspace runs at its root. */
export const startedIn = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.INIT_CWD ?? process.cwd();

/** The configuration with nothing set but what is given here, by the names of the variables. */
export const configFrom = (
  environment: Record<string, string>,
  surroundings: Surroundings = { terminal: false },
): Config => {
  const result = readConfig(environment, surroundings);
  if ('problem' in result) throw new Error(result.problem);
  return result.config;
};

/** One row a variable, in the order of the schema; `fallback` is null where the text names the default. */
export const configRows = (): { name: string; fallback: string | null; about: string }[] =>
  Object.entries(variables.shape).map(([name, schema]) => ({
    name,
    fallback: schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null,
    about: schema.description ?? '',
  }));

/** The rows as a table for a terminal. */
export const configHelp = (): string => {
  const rows = configRows();
  const nameWidth = Math.max(...rows.map((row) => row.name.length));
  const lines = rows.map(({ name, fallback, about }) => {
    const end = fallback === null ? '' : ` Default: ${fallback}`;
    return `  ${name.padEnd(nameWidth)}  ${about}${end}`;
  });
  return ['Environment:', ...lines, ''].join('\n');
};
