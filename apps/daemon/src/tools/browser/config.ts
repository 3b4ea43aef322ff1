import { delimiter } from 'node:path';
import { pickEnvironment } from '../../config.ts';

/** The variables that a browser gets. Its home is its profile, so the person's home stays unseen. */
const kept =
  'PATH LANG LC_ALL LC_CTYPE TZ DISPLAY XAUTHORITY WAYLAND_DISPLAY XDG_RUNTIME_DIR SystemRoot ' +
  'TEMP TMP LOCALAPPDATA ProgramFiles';

export const browserEnvironment = () => {
  const read = (name: string) => process.env[name] || undefined;
  return {
    variables: pickEnvironment(kept),
    path: (read('PATH') ?? '').split(delimiter).filter(Boolean),
    chosen: read('DRAWBRIDGE_BROWSER_PATH'),
    home: read('HOME') ?? read('USERPROFILE'),
    programFiles: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => read(name) ?? []),
    display: read('DISPLAY') !== undefined || read('WAYLAND_DISPLAY') !== undefined,
  };
};

export type BrowserEnvironment = ReturnType<typeof browserEnvironment>;
