import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../apps/web/dist/', import.meta.url));
const inPage = /(?:src|href)="\/([^"]+\.(?:js|css))"/g;
const inScript = /\b(?:import|from)\s*["'](\.\/[^"']+)["']/g;

/** Bytes of what the panel's page loads at once, compressed as the server sends it: what is lazy is left out. */
export const firstLoadBytes = (): number => {
  const files = new Set(['index.html']);
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, found = ''] of text.matchAll(file.endsWith('.html') ? inPage : inScript))
      files.add(file.endsWith('.html') ? found : join(dirname(file), found));
  }
  const sizeOf = (file: string) => statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;
  return [...files].reduce((sum, file) => sum + sizeOf(join(root, file)), 0);
};
