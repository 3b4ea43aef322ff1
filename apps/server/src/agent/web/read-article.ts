import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { isHidden } from './read-plain-text.ts';

/** A shorter article is more likely a wrong guess than the page. */
const minArticleLength = 200;

const unread = 'script, style, noscript, template, iframe, svg, canvas, object, link, meta[http-equiv]';

const asDocument = (html: string): string =>
  /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;

/** The page as a tree, without what a reader of it does not see. */
const openPage = (html: string) => {
  const { document } = parseHTML(asDocument(html));
  const title = document.querySelector('title');
  const { textContent } = title ?? {};
  title?.remove();
  for (const element of document.querySelectorAll(unread)) element.remove();
  for (const element of document.querySelectorAll('[hidden], [aria-hidden], [style]')) {
    const of = (name: string) => element.getAttribute(name) ?? undefined;
    if (isHidden({ hidden: of('hidden'), 'aria-hidden': of('aria-hidden'), style: of('style') }))
      element.remove();
  }
  return { document, title: (textContent ?? '').replace(/\s+/g, ' ').trim() };
};

const absolute = (href: string, base: string): string | null => {
  try {
    const url = new URL(href, base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null;
  }
};

const createTurndown = (base: string): TurndownService => {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  // Pictures are never loaded: their description is text.
  turndown.addRule('picture', {
    filter: 'img',
    replacement: (_content, node) => node.getAttribute('alt') ?? '',
  });
  turndown.addRule('link', {
    filter: 'a',
    replacement: (content, node) => {
      const url = absolute(node.getAttribute('href') ?? '', base);
      return content.trim() === '' || url === null ? content : `[${content.trim()}](<${url}>)`;
    },
  });
  turndown.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) => ` ${content.trim().replace(/\s+/g, ' ')} |`,
  });
  turndown.addRule('row', { filter: 'tr', replacement: (content) => `\n|${content}` });
  return turndown;
};

/** The article of a page as markdown, or the whole page where it has none. Links are absolute. */
export const readArticle = (html: string, url: string): { title: string; markdown: string } => {
  const { document, title } = openPage(html);
  // The reader of articles changes the tree that it is given.
  const article = new Readability(openPage(html).document, { serializer: (node) => node }).parse();
  const isArticle = (article?.textContent ?? '').trim().length >= minArticleLength;
  const root = isArticle ? article?.content : document.documentElement;
  const markdown = root ? createTurndown(url).turndown(root) : '';
  return { title: title || (article?.title ?? ''), markdown };
};
