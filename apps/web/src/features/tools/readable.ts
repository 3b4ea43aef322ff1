/** A part of a tool's answer that came as a JSON object: a fact, or a text that is read line by line. */
export type Part =
  | { kind: 'fact'; name: string; text: string }
  | { kind: 'text'; name: string; text: string };

/** Longer than this a string is read better on its own. */
const shortLength = 120;

/** The parts of a text that is a JSON object; null for every other text. */
export const partsOf = (text: string): Part[] | null => {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (typeof inner === 'string')
        return {
          kind: inner.includes('\n') || inner.length > shortLength ? 'text' : 'fact',
          name,
          text: inner,
        };
      if (typeof inner === 'object' && inner !== null)
        return { kind: 'text', name, text: JSON.stringify(inner, null, 2) };
      return { kind: 'fact', name, text: String(inner) };
    });
  } catch {
    return null;
  }
};
