import { createPrinter } from './markdown.ts';

/** A part of markdown as a text without marks. */
export const toPlainText: (markdown: string) => string = createPrinter({
  escape: (text) => text,
  escapeCode: (text) => text,
  strong: ['', ''],
  emphasis: ['', ''],
  struck: ['', ''],
  heading: ['', ''],
  quote: ['“', '”'],
  code: ['', ''],
  codeBlock: (code) => code,
  link: (href, isBare) => ['', isBare ? '' : ` (${href})`],
});
