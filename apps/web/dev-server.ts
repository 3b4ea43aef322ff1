import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerOptions } from 'vite';

const publicDir = join(import.meta.dirname, 'public');

/** What Vite serves: modules, the files beside them, and the pages of the panel. All else is the server's. */
const isPanel = (url: string, accepts: string): boolean => {
  const path = url.split('?')[0] ?? '';
  if (/^\/(@|src\/|node_modules\/)/.test(path)) return true;
  if (existsSync(join(publicDir, path))) return true;
  return accepts.includes('text/html') && !path.includes('.') && !/^\/(api|mcp)(\/|$)/.test(path);
};

/** The panel of `pnpm dev` in front of a server: one address for both, as in a build. */
export const devServer = ({ port, server }: { port: number; server: string }): ServerOptions => ({
  host: '127.0.0.1',
  port,
  strictPort: true,
  proxy: {
    // The address `/` is the panel's, also for the socket on which Vite announces changes.
    '^/[^?]': {
      target: server,
      ws: true,
      bypass: ({ url = '', headers }) => (isPanel(url, headers.accept ?? '') ? url : undefined),
    },
  },
});
