import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpRoute } from './routes.ts';

interface StaticNeeds {
  /** The built panel's folder. */
  panelDir: string;
  /** All routes of the server, once it serves. */
  routes(): readonly HttpRoute[];
}

const yearS = 365 * 24 * 60 * 60;

const folderOf = (path: string) => path.split('/')[1] ?? '';

const isPage = (request: FastifyRequest, doors: ReadonlySet<string>) => {
  const path = request.url.split('?')[0] ?? '';
  return (
    request.method === 'GET' &&
    !doors.has(folderOf(path)) &&
    !path.startsWith('/assets/') &&
    !path.includes('.')
  );
};

/** Serves the built panel. Gives what answers a path that is a page of the panel's own router. */
export const serveStatic = async (
  app: FastifyInstance,
  { panelDir, routes }: StaticNeeds,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply | null> => {
  const panelBuilt = existsSync(join(panelDir, 'index.html'));
  let doors: ReadonlySet<string> | undefined;
  /** First folders of the routes that have a name: below them nothing is ever the panel. */
  const doorFolders = () =>
    (doors ??= new Set(
      routes()
        .map(({ url }) => folderOf(url))
        .filter((folder) => /^\w+$/.test(folder)),
    ));

  if (panelBuilt) {
    await app.register(fastifyStatic, {
      root: panelDir,
      cacheControl: false,
      index: 'index.html',
      dotfiles: 'ignore',
      // The build's own forms. What is worked out for a person goes uncompressed: its length tells too much.
      preCompressed: true,
      setHeaders: (reply, path) => {
        const lasting = path.startsWith(join(panelDir, 'assets'));
        reply.header('cache-control', lasting ? `public, max-age=${yearS}, immutable` : 'no-store');
      },
    });
  }

  return (request, reply) => {
    if (!panelBuilt || !isPage(request, doorFolders())) return null;
    return reply.header('cache-control', 'no-store').sendFile('index.html');
  };
};
