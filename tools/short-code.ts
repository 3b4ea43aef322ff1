/** What the bundler hands over, as far as it is used. */
type Bundle = Record<string, { code?: string }>;
interface Context {
  parse(code: string): unknown;
}
interface Place {
  start: number;
  end: number;
}

/** Templates of `String.raw` and its like, which see how they are written. */
const taggedIn = (node: unknown): Place[] => {
  if (typeof node !== 'object' || node === null) return [];
  if ('quasi' in node) return [node.quasi as Place];
  return Object.values(node).flatMap(taggedIn);
};

/** The same program without letters beyond ASCII, except in `kept`. */
export const escapeLetters = (code: string, kept: readonly Place[]): string =>
  code.replace(/(\\*)([\u0080-\uFFFF])/g, (found, slashes: string, letter: string, at: number) => {
    if (kept.some(({ start, end }) => at >= start && at < end)) return found;
    // A letter that a backslash stands before without need.
    const before = slashes.length % 2 === 1 ? slashes.slice(1) : slashes;
    return `${before}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

const inAscii = {
  name: 'in-ascii',
  generateBundle(this: Context, _: unknown, bundle: Bundle): void {
    for (const file of Object.values(bundle)) {
      if (file.code === undefined || !/[\u0080-\uFFFF]/.test(file.code)) continue;
      file.code = escapeLetters(file.code, taggedIn(this.parse(file.code)));
    }
  },
};

/**
 * How programs are written: short and in ASCII, since Node keeps the text of all that it has loaded, with two bytes for each
 * letter where one of them is beyond Latin-1. Functions keep their names, which are in the traces of errors.
 */
export const shortCode = {
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  plugins: [inAscii],
} as const;
