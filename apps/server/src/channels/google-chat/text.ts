import { replaceAddresses } from '../format/links.ts';
import { createPrinter } from '../format/markdown.ts';

/** `<users/all>` and `<https://…|words>` act; there is no way to escape them. */
const acting = /<(?=users\/|customemojis\/|[a-z][a-z\d+.-]*:)/gi;
const zeroWidth = '\u200B';
const withoutActing = (text: string): string => text.replace(acting, `<${zeroWidth}`);

/** A part of markdown in the markup of Google Chat. An address that is not trusted is code. */
export const toGoogleText = (markdown: string, isTrusted: (href: string) => boolean): string =>
  createPrinter({
    escape: (text) =>
      withoutActing(replaceAddresses(text, (href) => (isTrusted(href) ? href : `\`${href}\``))),
    escapeCode: withoutActing,
    strong: ['*', '*'],
    emphasis: ['_', '_'],
    struck: ['~', '~'],
    heading: ['*', '*'],
    quote: ['“', '”'],
    code: ['`', '`'],
    codeBlock: (code) => `\`\`\`\n${code}\n\`\`\``,
    link: (href, isBare) => {
      if (isTrusted(href)) return [`<${href}|`, '>'];
      return isBare ? ['', ''] : ['', ` (\`${href}\`)`];
    },
  })(markdown);
