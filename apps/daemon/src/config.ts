import { homedir } from 'node:os';
import { toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import { privateFolderOf } from './program/places.ts';

/** `filesystemRead` -> `filesystem-read`: how a group is spelt in flags. */
export const kebab = (group: ToolGroup): string =>
  group.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

/** `filesystemRead` -> `DRAWBRIDGE_PERMISSION_FILESYSTEM_READ`. */
export const permissionVariable = (group: ToolGroup): string =>
  `DRAWBRIDGE_PERMISSION_${kebab(group).replace(/-/g, '_').toUpperCase()}`;

/** Reads the process's environment; no file is read. An empty variable counts as not set. */
export const readEnvironment = () => {
  const read = (name: string) => process.env[name] || undefined;
  const permissions: Partial<Record<ToolGroup, string>> = {};
  for (const group of toolGroups) {
    const value = read(permissionVariable(group));
    if (value !== undefined) permissions[group] = value;
  }
  return {
    url: read('DRAWBRIDGE_URL'),
    token: read('DRAWBRIDGE_TOKEN'),
    dir: read('DRAWBRIDGE_DIR'),
    name: read('DRAWBRIDGE_NAME'),
    nonInteractive: read('DRAWBRIDGE_NON_INTERACTIVE'),
    confirm: read('DRAWBRIDGE_CONFIRM'),
    allowInsecureHttp: read('DRAWBRIDGE_ALLOW_INSECURE_HTTP'),
    dangerouslyDisableShellSandbox: read('DRAWBRIDGE_DANGEROUSLY_DISABLE_SHELL_SANDBOX'),
    browser: read('DRAWBRIDGE_BROWSER'),
    keyStore: read('DRAWBRIDGE_KEY_STORE'),
    link: read('DRAWBRIDGE_LINK'),
    install: read('DRAWBRIDGE_INSTALL'),
    permissions,
    /** See no-color.org. */
    noColor: read('NO_COLOR') !== undefined,
    shell: read('SHELL') ?? '',
    path: read('PATH') ?? '/usr/bin:/bin',
    /** The person's private folder: settings and session. */
    privateFolder: privateFolderOf(homedir()),
  };
};

/** What the environment says. Each value is only ever a value: it is never read as a flag. */
export type Environment = ReturnType<typeof readEnvironment>;

/** Those of the variables that are set. `names`: with blanks between. */
export const pickEnvironment = (names: string): Record<string, string> =>
  Object.fromEntries(
    names.split(' ').flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** For the user's other programs: their environment without what is for drawbridge alone, such as a token. */
export const userEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('DRAWBRIDGE_')));
