/** What a command may know of the daemon's environment: no more than it takes to find programs and to speak the person's language. */
const kept = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'TERM',
  'TMPDIR',
  'TZ',
];

/** The environment that a command starts with. */
export const shellEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
