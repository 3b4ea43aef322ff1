import { delimiter, isAbsolute } from 'node:path';
import { isWithin } from './within.ts';
import { pickEnvironment } from '../../config.ts';

/** Variables that a server gets beside its own: no keys, nothing that changes how programs start. */
const kept = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'TZ',
  // Windows finds its own parts by these.
  'APPDATA',
  'LOCALAPPDATA',
  'PATHEXT',
  'SYSTEMROOT',
  'TEMP',
  'USERPROFILE',
];

/** PATH without the folder that tools write in: a call could have put programs there. */
const pathOutside = (root: string): string =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isWithin(folder, root))
    .join(delimiter);

/** The environment that an MCP server starts with, before what the person gave it. */
export const serverEnvironment = (root: string): Record<string, string> => ({
  ...pickEnvironment(kept),
  PATH: pathOutside(root),
});
