import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';

interface StaticNeeds {
  /** The built panel's folder. */
  panelDir: string;
  /** The packed daemon. */
  daemonFile: string;
}

const yearS = 365 * 24 * 60 * 60;

/** The paths that belong to a door: below them nothing is ever the panel. */
const doorPaths = /^\/(api|rest|trpc|mcp|health|ready)(\/|$)/;

const isPage = (request: FastifyRequest) => {
  const path = request.url.split('?')[0] ?? '';
  return (
    request.method === 'GET' && !doorPaths.test(path) && !path.startsWith('/assets/') && !path.includes('.')
  );
};

/** Serves the built panel and `GET /daemon.tgz`. Gives what answers a path that is a page of the panel's own router. */
export const serveStatic = async (
  app: FastifyInstance,
  { panelDir, daemonFile }: StaticNeeds,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply | null> => {
  const panelBuilt = existsSync(join(panelDir, 'index.html'));

  if (panelBuilt) {
    await app.register(fastifyStatic, {
      root: panelDir,
      cacheControl: false,
      index: 'index.html',
      dotfiles: 'ignore',
      setHeaders: (reply, path) => {
        const lasting = path.startsWith(join(panelDir, 'assets'));
        reply.header('cache-control', lasting ? `public, max-age=${yearS}, immutable` : 'no-store');
      },
    });
  }

  app.get('/daemon.tgz', async (_request, reply) => {
    const found = await stat(daemonFile).catch(() => null);
    if (!found)
      throw errors.notFound({
        message: 'The packed daemon is missing',
        fix: 'Build the daemon, then start the server again.',
      });
    // Its bytes change with the version while its address stays.
    reply.header('cache-control', 'no-cache').header('content-length', found.size).type('application/gzip');
    return reply.send(createReadStream(daemonFile));
  });

  return (request, reply) => {
    if (!isPage(request) || !panelBuilt) return null;
    return reply.header('cache-control', 'no-store').sendFile('index.html');
  };
};
