import { mkdtemp, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errors } from '../../common/errors.ts';
import { locateGranted } from '../../common/access.ts';
import { chunksOf, withRegularFile } from '../../../paths/read-bytes.ts';
import type { RunContext } from '../../common/tool.ts';
import { maxUploadBytes } from '../limits.ts';

/** Copies uploads into the browser's folder: the browser reads the checked bytes, whatever the names do. */
export const copyForUpload = async (
  paths: readonly string[],
  folder: string,
  context: RunContext,
): Promise<string[]> => {
  const copies: string[] = [];
  let total = 0;
  for (const typed of paths) {
    const place = locateGranted(context, typed, { access: 'read' });
    const copy = join(await mkdtemp(join(folder, 'file-')), basename(place.path));
    await withRegularFile(place.path, context.privateFolder, async (fd, { size }) => {
      total += size;
      if (total > maxUploadBytes)
        throw errors.tooLarge({ message: 'The files are too large: 64 MiB at most' });
      const file = await open(copy, 'wx', 0o600);
      try {
        for await (const chunk of chunksOf(fd, size, context.signal)) await file.appendFile(chunk);
      } finally {
        await file.close();
      }
    });
    copies.push(copy);
  }
  return copies;
};
