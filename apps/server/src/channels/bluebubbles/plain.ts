import { createPrinter } from '../format/markdown.ts';

/** A part of markdown as a text without marks, as iMessage shows it. */
export const toPlainText: (markdown: string) => string = createPrinter({
  escape: (text) => text,
  strong: ['', ''],
  emphasis: ['', ''],
  struck: ['', ''],
  heading: ['', ''],
  quote: ['“', '”'],
  code: ['', ''],
  codeBlock: (code) => code,
  link: (href, isBare) => ['', isBare ? '' : ` (${href})`],
});
