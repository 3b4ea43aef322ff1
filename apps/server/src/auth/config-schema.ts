import { z } from 'zod';
import { keyText, setting } from '../program/setting.ts';

export const authConfig = z.object({
  setupToken: setting(
    'SETUP_TOKEN',
    'The token that creates the owner account, at least 32 characters. Default: a new one at each start until the owner exists.',
    keyText.optional(),
  ),
});
