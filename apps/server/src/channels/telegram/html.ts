import { createPrinter } from '../format/markdown.ts';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

const print = createPrinter({
  escape,
  escapeCode: escape,
  strong: ['<strong>', '</strong>'],
  emphasis: ['<em>', '</em>'],
  struck: ['<s>', '</s>'],
  heading: ['<b>', '</b>'],
  quote: ['<blockquote>', '</blockquote>'],
  code: ['<code>', '</code>'],
  codeBlock: (code, language) =>
    language === null
      ? `<pre>${code}</pre>`
      : `<pre><code class="language-${escape(language)}">${code}</code></pre>`,
  link: (href) => [`<a href="${escape(href)}">`, '</a>'],
});

/** A part of markdown with Telegram's tags; every other sign of HTML is escaped. */
export const toTelegramHtml = (markdown: string): string =>
  print(markdown).replace(/\s+<\/blockquote>/g, '</blockquote>');
