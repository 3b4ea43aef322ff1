import { join } from 'node:path';
import webPush from 'web-push';
import { z } from 'zod';
import { readOrCreate } from '../secrets/index.ts';

const keyPair = z.object({ publicKey: z.string(), privateKey: z.string() });
export type Vapid = z.infer<typeof keyPair>;

/** The key pair that push services know this server by, in base64url. RFC 8292. */
export const readVapid = (dataDir: string): Vapid =>
  keyPair.parse(
    JSON.parse(readOrCreate(join(dataDir, 'vapid.json'), () => JSON.stringify(webPush.generateVAPIDKeys()))),
  );
