import type { Markup } from './markdown.ts';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** Markdown as tags of HTML; every other sign of it is escaped. */
export const htmlMarkup: Markup = {
  escape: escapeHtml,
  escapeCode: escapeHtml,
  strong: ['<strong>', '</strong>'],
  emphasis: ['<em>', '</em>'],
  struck: ['<s>', '</s>'],
  heading: ['<b>', '</b>'],
  quote: ['<blockquote>', '</blockquote>'],
  code: ['<code>', '</code>'],
  codeBlock: (code, language) =>
    language === null
      ? `<pre>${code}</pre>`
      : `<pre><code class="language-${escapeHtml(language)}">${code}</code></pre>`,
  link: (href) => [`<a href="${escapeHtml(href)}">`, '</a>'],
};
