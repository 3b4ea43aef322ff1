import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { precompress } from './precompress.ts';

const words = 'a text that repeats itself. '.repeat(100);
const built = {
  'index.html': words,
  'assets/app.js': words,
  'assets/small.js': 'short',
  'assets/picture.png': words,
};

it('writes both forms beside the texts that are long enough, and nothing else', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'precompress-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'assets'));
  for (const [name, text] of Object.entries(built)) writeFileSync(join(dir, name), text);

  await precompress().writeBundle({ dir });

  const added = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(br|gz)$/.test(file))
    .toSorted();
  expect(added).toEqual(['assets/app.js.br', 'assets/app.js.gz', 'index.html.br', 'index.html.gz']);
  expect(brotliDecompressSync(readFileSync(join(dir, 'assets/app.js.br'))).toString()).toBe(words);
  expect(gunzipSync(readFileSync(join(dir, 'index.html.gz'))).toString()).toBe(words);
});
