export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A property of a JSON result: a short fact, or a longer text. */
export type Part =
  | { kind: 'fact'; name: string; text: string }
  | { kind: 'text'; name: string; text: string };

/** A longer string is shown as a text. */
const shortLength = 120;

/** The properties of a JSON object; null for any other text. */
export const partsOf = (text: string): Part[] | null => {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return null;
    return Object.entries(value).map(([name, inner]) => {
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
