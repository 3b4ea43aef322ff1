import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the bundler hands over, as far as it is used. */
interface Chunk {
  type: 'chunk' | 'asset';
  fileName: string;
  name?: string;
  isEntry?: boolean;
  code?: string;
  imports?: string[];
  viteMetadata?: { importedCss: Set<string> };
}
type Bundle = Record<string, Chunk>;

/** The pages that the panel shows while the server is away. */
const offlinePages = new Set(['index', 'unreachable-page']);
const workerFile = 'service-worker.js';
/** Its name has no hash. */
const beforePaint = 'before-paint.js';

/** A chunk with all that it imports, and their styles. */
const filesOf = (bundle: Bundle, fileName: string, known = new Set<string>()): Set<string> => {
  const chunk = bundle[fileName];
  if (!chunk || known.has(fileName)) return known;
  known.add(fileName);
  for (const css of chunk.viteMetadata?.importedCss ?? []) known.add(css);
  for (const imported of chunk.imports ?? []) filesOf(bundle, imported, known);
  return known;
};

/** A Vite plugin: tells the service worker which files make the shell. */
export const shellFiles = () => ({
  name: 'shell-files',
  enforce: 'post' as const,
  generateBundle(_options: unknown, bundle: Bundle): void {
    const worker = bundle[workerFile];
    if (worker?.code === undefined) throw new Error('the build has no service worker');
    const known = new Set<string>();
    for (const { fileName, name } of Object.values(bundle))
      if (name !== undefined && offlinePages.has(name)) filesOf(bundle, fileName, known);
    const files = [...known, beforePaint].toSorted().map((file) => `/${file}`);
    const text = readFileSync(join(import.meta.dirname, 'public', beforePaint));
    const version = createHash('sha256').update(files.join()).update(text).digest('hex').slice(0, 12);
    worker.code = worker.code
      .replaceAll('__SHELL_FILES__', JSON.stringify(files))
      .replaceAll('__SHELL_VERSION__', JSON.stringify(version));
  },
});

/** A Vite plugin: a style sheet in the head holds back the whole page, behind the shell only what follows. */
export const stylesLast = () => ({
  name: 'styles-last',
  transformIndexHtml: {
    order: 'post' as const,
    handler: (html: string): string => {
      const links = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
      const rest = links.reduce((text, link) => text.replace(link, ''), html);
      return rest.replace('</body>', `${links.join('')}</body>`);
    },
  },
});
