import { isAbsolute } from 'node:path';
import {
  modes as modeNames,
  perGroup,
  toolGroups,
  type Mode,
  type ToolGroup,
} from '@drawbridge/contracts/groups';
import { machineName, pairingToken } from '@drawbridge/contracts/ids';
import { permissionVariable, kebab, type Environment } from '../../config.ts';
import { ways, type KeyStore, type Way } from '../../link/index.ts';
import { errors } from './errors.ts';
import { browserModes, whyNotLocal, type BrowserMode } from '../../permission/index.ts';
import { parseServerUrl } from './server-url.ts';

/** What commander found on the command line, by its own spelling. */
export interface ParsedLine {
  url: string | undefined;
  token: string | undefined;
  dir: string | undefined;
  flags: Record<string, unknown>;
}

const confirmPlaces = ['panel', 'terminal'] as const;
const keyStores = ['file', 'keyring'] as const;
export type ConfirmWhere = (typeof confirmPlaces)[number];

export interface ConnectOptions {
  url: URL | null;
  token: string | null;
  dir: string | null;
  /** What the person calls this machine; null to let the server choose. */
  name: string | null;
  nonInteractive: boolean;
  confirm: ConfirmWhere;
  /** False only where the person says so for this run: no file can. */
  shellSandbox: boolean;
  /** Whether this run offers commands outside of the sandbox, whatever the settings say. */
  offerOutside: boolean;
  /** Absolute paths that no tool touches: the server says so that started this daemon. */
  closed: string[];
  /** Which profile the browser uses; null where nothing was said. */
  browser: BrowserMode | null;
  /** Null: in the keyring where it works, else in the file. */
  keyStore: KeyStore | null;
  /** `socket` falls back to the event stream where it does not open. */
  link: Way;
  /** Whether to install for this user; null where nothing was said: a person is asked. */
  install: boolean | null;
  modes: Partial<Record<ToolGroup, Mode>>;
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const readSwitch = (name: string, value: string | undefined): boolean => {
  if (value === undefined || value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true') return true;
  throw errors.wrongUse({ message: `${name} is ${value}`, fix: 'Set it to 1 or 0.' });
};

const oneOf = <T extends string>(name: string, value: string, choices: readonly T[]): T => {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw errors.wrongUse({ message: `${name} is ${value}`, fix: `Use one of ${choices.join(', ')}.` });
};

/** `--read-only`: reading is allowed, the rest is on deny. Throws where another flag says otherwise. */
const readOnlyModes = (modes: ConnectOptions['modes']): ConnectOptions['modes'] => {
  const looser = toolGroups.find(
    (group) => group !== 'filesystemRead' && (modes[group] ?? 'deny') !== 'deny',
  );
  if (looser !== undefined) {
    throw errors.wrongUse({
      message: `--read-only and --permission-${kebab(looser)} ${modes[looser]} contradict each other`,
      fix: 'Leave one of them out.',
    });
  }
  return { ...perGroup(() => 'deny' as const), filesystemRead: modes.filesystemRead ?? 'allow' };
};

const readInstall = (flag: unknown, variable: string | undefined): boolean | null => {
  if (typeof flag === 'boolean') return flag;
  return variable === undefined ? null : readSwitch('DRAWBRIDGE_INSTALL', variable);
};

const readModes = (flags: ParsedLine['flags'], environment: Environment): ConnectOptions['modes'] => {
  const modes: ConnectOptions['modes'] = {};
  for (const group of toolGroups) {
    const flag = asText(flags[`permission${group[0]?.toUpperCase()}${group.slice(1)}`]);
    const variable = environment.permissions[group];
    if (flag !== undefined) modes[group] = oneOf(`--permission-${kebab(group)}`, flag, modeNames);
    else if (variable !== undefined) modes[group] = oneOf(permissionVariable(group), variable, modeNames);
  }
  return modes;
};

const readBrowser = (value: string | undefined): BrowserMode | null => {
  if (value === undefined) return null;
  if (value === 'local')
    throw errors.wrongUse({
      message: `--browser is local: ${whyNotLocal}`,
      fix: 'Use persistent: its profile stays, and you can sign in there in its window.',
    });
  return oneOf('--browser', value, browserModes);
};

const readClosed = (value: unknown): string[] => {
  const paths = Array.isArray(value) ? value.map(String) : [];
  if (paths.every((path) => isAbsolute(path))) return paths;
  throw errors.wrongUse({ message: '--closed needs an absolute path' });
};

const readToken = (token: string | undefined): string | null => {
  if (token === undefined) return null;
  // It travels in a header: printable ASCII without blanks.
  if (/^[!-~]{1,512}$/.test(token)) return token;
  throw errors.wrongUse({
    message: 'The token contains invalid characters',
    fix: 'Copy the command from the panel again.',
  });
};

const readName = (name: string | undefined): string | null => {
  if (name === undefined) return null;
  const read = machineName.safeParse(name);
  if (read.success) return read.data;
  throw errors.wrongUse({
    message: `The name ${JSON.stringify(name)} ${read.error.issues[0]?.message ?? 'is not valid'}`,
    fix: 'Choose a name such as laptop or build-2.',
  });
};

const readDir = (line: ParsedLine, environment: Environment): string | null => {
  const flag = asText(line.flags['dir']);
  if (flag !== undefined && line.dir !== undefined) {
    throw errors.wrongUse({ message: 'The folder is given twice', fix: 'Leave one of them out.' });
  }
  return flag ?? line.dir ?? environment.dir ?? null;
};

/** Flags before the environment. Throws `WRONG_USE` with the name of what is wrong; never shows a token. */
export const readOptions = (line: ParsedLine, environment: Environment): ConnectOptions => {
  const { flags } = line;
  const allowInsecureHttp =
    flags['allowInsecureHttp'] === true ||
    readSwitch('DRAWBRIDGE_ALLOW_INSECURE_HTTP', environment.allowInsecureHttp);
  const url = line.url ?? environment.url;
  const keyStore = asText(flags['keyStore']) ?? environment.keyStore;
  return {
    url: url === undefined ? null : parseServerUrl(url, { allowInsecureHttp }),
    token: readToken(line.token ?? environment.token),
    dir: readDir(line, environment),
    name: readName(asText(flags['name']) ?? environment.name),
    nonInteractive:
      flags['nonInteractive'] === true ||
      readSwitch('DRAWBRIDGE_NON_INTERACTIVE', environment.nonInteractive),
    confirm: oneOf('--confirm', asText(flags['confirm']) ?? environment.confirm ?? 'panel', confirmPlaces),
    shellSandbox: !(
      flags['dangerouslyDisableShellSandbox'] === true ||
      readSwitch('DRAWBRIDGE_DANGEROUSLY_DISABLE_SHELL_SANDBOX', environment.dangerouslyDisableShellSandbox)
    ),
    offerOutside: flags['offerOutside'] === true,
    closed: readClosed(flags['closed']),
    browser: readBrowser(asText(flags['browser']) ?? environment.browser),
    install: readInstall(flags['install'], environment.install),
    keyStore: keyStore === undefined ? null : oneOf('The key store', keyStore, keyStores),
    link: oneOf('--link', asText(flags['link']) ?? environment.link ?? 'socket', ways),
    modes:
      flags['readOnly'] === true
        ? readOnlyModes(readModes(flags, { ...environment, permissions: {} }))
        : readModes(flags, environment),
  };
};

/** Throws `WRONG_USE` for a pairing token that lost characters: the server would only call it unknown. */
export const checkToken = (token: string): void => {
  if (!token.startsWith('gw_') || pairingToken.safeParse(token).success) return;
  throw errors.wrongUse({
    message: `This pairing token is mistyped: it has ${token.length} characters, and a token has 35`,
    fix: 'Copy the whole command from the panel again.',
  });
};
