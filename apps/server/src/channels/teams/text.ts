import { replaceAddresses } from '../format/links.ts';
import { createPrinter } from '../format/markdown.ts';

const zeroWidth = '\u200B';

/** Teams reads tags, such as mentions, and links of any scheme: text has neither. */
const inert = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('](', `]${zeroWidth}(`);

/** A part of markdown in that of Teams. An address that is not trusted is code. */
export const toTeamsText = (markdown: string, isTrusted: (href: string) => boolean): string =>
  createPrinter({
    escape: (text) => inert(replaceAddresses(text, (href) => (isTrusted(href) ? href : `\`${href}\``))),
    escapeCode: (code) => code,
    strong: ['**', '**'],
    emphasis: ['_', '_'],
    struck: ['~~', '~~'],
    heading: ['**', '**'],
    quote: ['> ', ''],
    code: ['`', '`'],
    codeBlock: (code, language) => `\`\`\`${language ?? ''}\n${code}\n\`\`\``,
    link: (href, isBare) => {
      if (isTrusted(href)) return isBare ? ['', ''] : ['[', `](${href})`];
      return isBare ? ['', ''] : ['', ` (\`${href}\`)`];
    },
  })(markdown);
