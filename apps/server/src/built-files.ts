import { fileURLToPath } from 'node:url';

/** The panel and the packed daemon, as seen from `src` and from `dist` alike. */
export const panelDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
export const daemonFile = fileURLToPath(new URL('../../daemon/dist/daemon.tgz', import.meta.url));
