import { z } from 'zod';
import { setting } from '../program/setting.ts';

export { chooseDataDir } from './folder/data-dir.ts';
export { isPostgresUrl } from './place.ts';

export const storeConfig = z.object({
  dataDir: setting(
    'DATA_DIR',
    'Folder of the store and of the secret that signs cookies. Default: `./data` where a server has run in it, else `$XDG_DATA_HOME/drawbridge`, else `~/.local/share/drawbridge`.',
    z.string().min(1).optional(),
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    'The store: `file:<path>`, or `postgres://<user>:<password>@<host>:<port>/<database>`. Default: `drawbridge.db` in `DATA_DIR`.',
    z.string().min(1).optional(),
  ),
  redisUrl: setting(
    'REDIS_URL',
    'Redis or Valkey, as `redis://` or `rediss://`, which connects the servers of one store. Needs `SECRET` and `DATABASE_URL` with `postgres://`. Unset: this server is the only one.',
    z.url({ protocol: /^rediss?$/, error: 'must be redis:// or rediss://' }).optional(),
  ),
});
