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

/** Paths that programs try; no page of the panel has them. */
const ofPrograms = new Set(['api', 'metrics']);

/** A browser that navigates accepts HTML; a program gets 404, so that a probe of a wrong path fails. */
const isPage = (request: FastifyRequest, doors: ReadonlySet<string>) => {
  const path = request.url.split('?')[0] ?? '';
  return (
    request.method === 'GET' &&
    // The service worker keeps `/` for later, and asks for anything there.
    (path === '/' || request.headers.accept?.includes('text/html') === true) &&
    !doors.has(folderOf(path)) &&
    !ofPrograms.has(folderOf(path)) &&
    !path.startsWith('/assets/') &&
    !path.includes('.')
  );
};

/** Serves the built panel. Returns the handler for pages of the panel's router. */
export const serveStatic = async (
  app: FastifyInstance,
  { panelDir, routes }: StaticNeeds,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply | null> => {
  const panelBuilt = existsSync(join(panelDir, 'index.html'));
  let doors: ReadonlySet<string> | undefined;
  /** First path segments of the named routes: the panel is never served below them. */
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
      // Only the build's precompressed files: the compressed length of personal data would leak content.
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
