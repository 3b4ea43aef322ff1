import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { packedDaemon, type PackedDaemon } from '@drawbridge/contracts/release';

/** The packed daemon in memory, so that one address never gives two contents. */
export interface DaemonPackage {
  about: PackedDaemon;
  content: Buffer;
}

/**
 * Reads `<name>.tgz` and the `<name>.json` beside it; null if one is missing or they do not belong together.
 */
export const readDaemonPackage = async (file: string): Promise<DaemonPackage | null> => {
  try {
    const content = await readFile(file);
    const about = packedDaemon.parse(JSON.parse(await readFile(file.replace(/\.tgz$/, '.json'), 'utf8')));
    const sha256 = createHash('sha256').update(content).digest('hex');
    return sha256 === about.sha256 ? { about, content } : null;
  } catch {
    return null;
  }
};
