/**
 * Parses an absolute URL; undefined for any other text. `URL.canParse` is not used: once optimized by Node
 * 20, it rejects URLs with letters between U+0080 and U+00FF.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
