import { cutText } from '@drawbridge/kit';
import MarkdownIt from 'markdown-it';

/** The API takes 4,096 characters. */
const maxLength = 4_000;

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

const parser = new MarkdownIt({ html: false, linkify: false }).disable('image');

const withHosts = (text: string): string =>
  text.replaceAll(/https?:\/\/([^\s/?#]+)\S*/gi, (_address, host: string) => host);

const inlineText = ({ children }: Token): string =>
  (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');

const blockText = (token: Token): string[] => {
  if (token.type === 'inline') return [withHosts(inlineText(token)).trim()];
  return token.type === 'fence' || token.type === 'code_block' ? ['Code block.'] : [];
};

/** At the end of a sentence, where one is in the second half. */
const cut = (text: string): string => {
  if (text.length <= maxLength) return text;
  const part = cutText(text, maxLength);
  const end = Math.max(...['. ', '! ', '? ', '\n'].map((mark) => part.lastIndexOf(mark)));
  return end > maxLength / 2 ? part.slice(0, end + 1).trim() : part;
};

/** What is said of a markdown: no marks, no code, of an address its host. */
export const toSpokenText = (markdown: string): string =>
  cut(
    parser
      .parse(markdown, {})
      .flatMap(blockText)
      .filter((text) => text !== '')
      .join('\n'),
  );
