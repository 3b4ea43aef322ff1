import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const texts = /\.(css|html|js|json|svg|txt)$/;
/** Below this the headers weigh more than what is saved. */
const minBytes = 1_024;

const forms = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

const compress = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  if (bytes.length < minBytes) return;
  for (const [ending, form] of Object.entries(forms)) {
    const compressed = await form(bytes);
    if (compressed.length < bytes.length) await writeFile(`${path}.${ending}`, compressed);
  }
};

/** A Vite plugin: writes a `.br` and a `.gz` beside each text of 1 KiB or more in the build. */
export const precompress = () => ({
  name: 'precompress',
  async writeBundle({ dir }: { dir?: string | undefined }): Promise<void> {
    if (dir === undefined) throw new Error('precompress needs a build that is written to a folder');
    const files = await readdir(dir, { recursive: true });
    await Promise.all(files.filter((file) => texts.test(file)).map((file) => compress(join(dir, file))));
  },
});
