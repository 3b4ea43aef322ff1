/** What `read` gives of a row; undefined for one that cannot be read: it holds nowhere, and keeps no other from being shown. */
export const readable = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** In milliseconds since 1970. Throws for what names no moment. */
export const timeOf = (value: string | Date): number => new Date(new Date(value).toISOString()).getTime();
