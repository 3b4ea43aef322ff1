import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonPost } from './daemon-post.ts';
import { handlePost } from './handle-post.ts';
import type { Mount } from './mount.ts';
import type { DaemonPosts } from './posts.ts';

const names = [
  'tools',
  'responses',
  'progress',
  'probe',
  'rules',
  'processes',
  'runtimes',
  'settled',
  'disconnect',
] as const;

/** The posts of a machine that need nothing but their body. */
export const machineRoutes = (app: FastifyInstance, mount: Mount, posts: DaemonPosts) => {
  for (const name of names) {
    const { answer, ...options }: DaemonPost = posts[name];
    app.post(daemonSurface[name].path, options, handlePost(mount, answer));
  }
};
