/** C0, DEL, C1, and characters that hide or reorder what stands around them. */
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

const visible = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a) return '\\n';
  if (code === 0x0d) return '\\r';
  if (code === 0x09) return '\\t';
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};

/** Text from elsewhere, made safe to show: one line, in which everything that is not plainly visible is an escape. */
export const escapeText = (text: string): string => text.replace(hidden, visible);

/** The same for text of several lines, such as a diff. */
export const escapeLines = (text: string): string => text.split('\n').map(escapeText).join('\n');

/** At most `maxLength` characters, marked where it was cut. */
export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

/** Our own keys, wherever they come up in a text, without what makes them work. */
export const withoutKeys = (text: string): string => text.replace(/(gw|sess)_[A-Za-z0-9_-]{6,}/g, '$1_…');
