/** The first key that a JSON object holds twice (a parser would silently take the last), or undefined. */
export const repeatedKey = (validJson: string): string | undefined => {
  const open: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;
  for (const [text, isKey] of validJson.matchAll(token)) {
    if (text === '{') open.push(new Set());
    else if (text === '[') open.push(null);
    else if (text === '}' || text === ']') open.pop();
    else if (isKey !== undefined) {
      const key: unknown = JSON.parse(text.slice(0, -isKey.length));
      const keys = open.at(-1);
      if (typeof key === 'string' && keys?.has(key)) return key;
      if (typeof key === 'string') keys?.add(key);
    }
  }
  return undefined;
};
