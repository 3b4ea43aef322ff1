import { Parser } from 'htmlparser2';

const skipped = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'svg', 'canvas', 'object']);
const blocks =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
const invisibleStyle =
  /display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0*(\.0+)?\s*(;|!|$)|font-size\s*:\s*0/i;

/** Whether the attributes of an element hide it from a reader. */
export const isHidden = (attributes: Record<string, string | undefined>): boolean =>
  attributes['hidden'] !== undefined ||
  attributes['aria-hidden'] === 'true' ||
  invisibleStyle.test(attributes['style'] ?? '');

/** The visible text of a page in its order, without a tree of it. `depth`: of its deepest element. */
export const readPlainText = (html: string): { title: string; markdown: string; depth: number } => {
  const parts: string[] = [];
  let title = '';
  let isTitle = false;
  let depth = 0;
  let deepest = 0;
  /** The depth of the element that is left out with its contents; 0 outside of one. */
  let leftOut = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      deepest = Math.max(deepest, depth);
      isTitle = name === 'title' && title === '';
      if (leftOut === 0 && (skipped.has(name) || isHidden(attributes))) leftOut = depth;
      if (blocks.test(name)) parts.push('\n');
    },
    ontext: (text) => {
      if (leftOut > 0) return;
      if (isTitle) title += text;
      else parts.push(text.replace(/\s+/g, ' '));
    },
    onclosetag: (name) => {
      if (leftOut === depth) leftOut = 0;
      depth -= 1;
      isTitle = false;
      if (blocks.test(name)) parts.push('\n');
    },
  });
  parser.end(html);
  const lines = parts.join('').split('\n');
  const markdown = lines
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { title: title.replace(/\s+/g, ' ').trim(), markdown, depth: deepest };
};
