import { createHmac } from 'node:crypto';
import { nanoid } from 'nanoid';
import type { Config } from '../../config.ts';
import type { MetaStore } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { Logger } from 'pino';

const derive = (secret: string, use: string): string =>
  createHmac('sha256', secret).update(`drawbridge ${use}`).digest('base64url');

/** The token of the setup link. Servers that share `SECRET` print the same one. */
export const newSetupToken = ({ secret }: Pick<Config, 'secret'>): string =>
  `setup_${secret === undefined ? nanoid(32) : derive(secret, 'setup token')}`;

interface Needs {
  config: Pick<Config, 'secret'>;
  secret: string;
  log: Pick<Logger, 'warn'>;
  meta: MetaStore;
}

/**
 * Compares the secret to that of the store, of which a digest is kept. Throws `otherSecret` for another
 * `SECRET`. A new file `auth-secret` is accepted: what was sealed under the old one has to be entered again.
 */
export const checkSecret = async ({ config, secret, log, meta }: Needs): Promise<void> => {
  const digest = derive(secret, 'secret of the store');
  if ((await meta.findOrInsert('secret', digest)) === digest) return;
  if (config.secret !== undefined) throw errors.otherSecret();
  log.warn(
    'auth-secret is not the one that this store was used with: sessions, stored keys and devices are lost.',
  );
  await meta.replace('secret', digest);
};
