import { packedPath, releaseName } from '@drawbridge/contracts/release';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errors } from '../errors.ts';
import type { DaemonPackage } from './daemon-package.ts';

const yearS = 365 * 24 * 60 * 60;

interface ServeDaemonNeeds {
  /** Null without a build. */
  daemon: DaemonPackage | null;
  /** The server's own address. */
  url(): string;
}

/**
 * Serves the packed daemon: `/daemon-<release>.tgz` never changes, `/daemon.tgz` is the present one, and
 * `/daemon.json` describes it.
 */
export const serveDaemon = (app: FastifyInstance, { daemon, url }: ServeDaemonNeeds): void => {
  const packed = (): DaemonPackage => {
    if (daemon !== null) return daemon;
    throw errors.notFound({
      message: 'The packed daemon is missing',
      fix: 'Build the daemon, then start the server again.',
    });
  };
  const send = (reply: FastifyReply, cacheControl: string) =>
    reply.header('cache-control', cacheControl).type('application/gzip').send(packed().content);

  app.get('/daemon.json', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(packed().about),
  );
  // npx caches by address; this one is for installations that used it before there were releases.
  app.get('/daemon.tgz', async (_request, reply) => send(reply, 'no-cache'));
  app.get<{ Params: { file: string } }>('/:file(^daemon-[^/]+\\.tgz$)', async (request, reply) => {
    const { about } = packed();
    const path = packedPath(about);
    if (`/${request.params.file}` === path) return send(reply, `public, max-age=${yearS}, immutable`);
    const message = `This server has drawbridge ${releaseName(about)} now. Run: npx --yes ${url()}${path}`;
    // npm shows the field `error`.
    return reply
      .code(404)
      .header('cache-control', 'no-store')
      .send({ code: errors.notFound().code, message, error: message });
  });
};
