/** A host or address in the form that the network uses (punycode), where that differs from what stands there. */
export const hostOf = (resource: string): string | null => {
  // ASCII shows itself.
  if (!/[^\u0000-\u007f]/.test(resource)) return null;
  try {
    return new URL(resource.includes('://') ? resource : `http://${resource}`).hostname || null;
  } catch {
    return null;
  }
};
