import { pickEnvironment } from '../../config.ts';
import { safePath } from '../../paths/programs.ts';

/**
 * Variables that a server gets beside its own: no keys, nothing that changes how programs start.
 * Windows finds its own parts by those from APPDATA on.
 */
const kept =
  'HOME USER LOGNAME LANG LC_ALL LC_CTYPE TMPDIR TZ APPDATA LOCALAPPDATA PATHEXT SYSTEMROOT ' +
  'TEMP USERPROFILE';

/** The environment that an MCP server starts with, before what the person gave it. */
export const serverEnvironment = (root: string): Record<string, string> => ({
  ...pickEnvironment(kept),
  PATH: safePath(process.env['PATH'] ?? '', root),
});
