import { htmlMarkup } from '../format/html.ts';
import { createPrinter } from '../format/markdown.ts';

const print = createPrinter(htmlMarkup);

/** A part of markdown with Telegram's tags; every other sign of HTML is escaped. */
export const toTelegramHtml = (markdown: string): string =>
  print(markdown).replace(/\s+<\/blockquote>/g, '</blockquote>');
