import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const pagesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? pagesBelow(join(folder, entry.name))
      : entry.name.endsWith('.md')
        ? [join(folder, entry.name)]
        : [],
  );
const pages = ['README.md', ...pagesBelow('docs')];

interface Link {
  text: string;
  target: string;
}

const linksIn = (page: string): Link[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)]
    .map(([, text = '', target = '']) => ({ text, target: target.replace(/#.*$/, '') }))
    .filter(({ target }) => target !== '' && !/^[a-z]+:/.test(target));

const pathOf = (page: string, { target }: Link) => resolve(root, dirname(page), target);

/** The links of a page to a section: of itself, or of another file. */
const sectionLinksIn = (page: string) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)].map(
    ([, target = '', section = '']) => ({
      file: target === '' ? page : join(dirname(page), target),
      section,
    }),
  );

/** The anchors of a page's headings, as GitHub makes them. */
const sectionsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

describe.each(pages)('%s', (page) => {
  it('links to what is there', () => {
    const broken = linksIn(page).filter((link) => !existsSync(pathOf(page, link)));
    expect(broken).toEqual([]);
  });

  it('links to sections that are there', () => {
    const broken = sectionLinksIn(page).filter(
      ({ file, section }) => !file.endsWith('.md') || !sectionsOf(file).includes(section),
    );
    expect(broken).toEqual([]);
  });

  it('names what the linked file has', () => {
    const wrong = linksIn(page).filter((link) => {
      const [, symbol] = /^`(\w[\w.-]*)`$/.exec(link.text) ?? [];
      if (symbol === undefined || symbol === basename(link.target)) return false;
      return !new RegExp(`\\b${symbol}\\b`).test(readFileSync(pathOf(page, link), 'utf8'));
    });
    expect(wrong).toEqual([]);
  });
});

it('the walk has its nine steps', () => {
  const walk = readFileSync(join(root, 'docs/follow-a-tool-call.md'), 'utf8');
  expect(walk.match(/^\d+\. /gm)).toEqual(['1. ', '2. ', '3. ', '4. ', '5. ', '6. ', '7. ', '8. ', '9. ']);
});
