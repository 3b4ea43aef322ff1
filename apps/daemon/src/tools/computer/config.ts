import { pickEnvironment } from '../../config.ts';

const kept =
  'PATH HOME LANG DISPLAY XAUTHORITY WAYLAND_DISPLAY XDG_RUNTIME_DIR XDG_SESSION_TYPE ' +
  'XDG_CURRENT_DESKTOP DBUS_SESSION_BUS_ADDRESS SystemRoot';

export const deviceEnvironment = (): Record<string, string> => pickEnvironment(kept);
