import { z } from 'zod';
import { keyText, setting } from '../program/setting.ts';

export const authConfig = z.object({
  secret: setting(
    'SECRET',
    'The secret that signs cookies and encrypts stored keys, at least 32 characters; the same for all servers of a store. Default: the file `auth-secret` in `DATA_DIR`, made at the first start.',
    keyText.optional(),
  ),
  setupToken: setting(
    'SETUP_TOKEN',
    'The token that creates the owner account, at least 32 characters. Default: a new one at each start until the owner exists.',
    keyText.optional(),
  ),
});
