/** Control characters, line and paragraph separators, what has no shape of its own, and the blanks that look like nothing. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[\u{d800}-\u{dfff}]/gu;
const lineBreaks = new Set(['\n', '\t']);

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escape = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  const name = named[char];
  if (name !== undefined) return name;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};

const scripts = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Greek: /\p{Script=Greek}/u,
  Armenian: /\p{Script=Armenian}/u,
  Cherokee: /\p{Script=Cherokee}/u,
} as const;

/** Latin-looking letters of several alphabets in one word, full-width forms, and hosts that spell such letters as `xn--`. */
const notes = (text: string): string[] => {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u);
  const mixed = words
    .map((word) => Object.entries(scripts).flatMap(([name, script]) => (script.test(word) ? [name] : [])))
    .find((names) => names.length > 1);
  return [
    ...(mixed ? [`mixes ${mixed.join(' and ')} letters in one word`] : []),
    ...(/[\uff01-\uff5e\u2170-\u217f\u2044\u2215]/u.test(text)
      ? ['has look-alikes of plain characters']
      : []),
    ...(/\bxn--/i.test(text) ? ['has an encoded host name'] : []),
  ];
};

/** The text with everything that an eye cannot see, or that could move what is seen, as `\x1b` or `\u{202e}`. */
export const visible = (text: string): string => text.replace(hidden, escape);

/** The same for a text of several lines: line breaks and tabs stay. */
export const visibleLines = (text: string): string =>
  text.replace(hidden, (char) => (lineBreaks.has(char) ? char : escape(char)));

/** What a person reads about a resource: made visible, with a note where it can be mistaken for another. */
export const shown = (text: string): string => {
  const found = notes(text);
  return found.length === 0 ? visible(text) : `${visible(text)} (careful: ${found.join(', ')})`;
};
