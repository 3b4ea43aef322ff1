import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import webPush from 'web-push';
import { z } from 'zod';
import type { MetaStore } from '../db/index.ts';
import type { Sealer } from '../secrets/index.ts';

const keyPair = z.object({ publicKey: z.string(), privateKey: z.string() });
export type Vapid = z.infer<typeof keyPair>;

interface Needs {
  meta: MetaStore;
  sealer: Sealer;
  dataDir: string;
}

const key = 'vapid';
const purpose = 'vapid keys';

/** The file of releases that kept the pair beside the store; null without one. */
const readFile = (file: string): Vapid | null => {
  try {
    return keyPair.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
};

/**
 * The key pair that push services know the servers of this store by, in base64url (RFC 8292): made once,
 * sealed in the store. Under another secret there is a new pair, and devices subscribe again.
 */
export const loadVapid = async ({ meta, sealer, dataDir }: Needs): Promise<Vapid> => {
  const file = join(dataDir, 'vapid.json');
  const create = () => sealer.seal(JSON.stringify(readFile(file) ?? webPush.generateVAPIDKeys()), purpose);
  const open = (sealed: string): Vapid | null => {
    const text = sealer.unseal(sealed, purpose);
    return text === null ? null : keyPair.parse(JSON.parse(text));
  };
  const stored = open(await meta.findOrInsert(key, create()));
  if (stored !== null) {
    rmSync(file, { force: true });
    return stored;
  }
  await meta.replace(key, create());
  return loadVapid({ meta, sealer, dataDir });
};
