/**
 * Reads an absolute address; undefined for any other text. `URL.canParse` is not used: in Node 20, once it is compiled, it says
 * no to addresses with letters between U+0080 and U+00FF.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
