const prefix = 'drawbridge-draft ';
/** Where the browser refuses its storage, they last as long as the page. */
const unstored = new Map<string, string>();

/** Texts that were typed and not sent, by their place. The browser keeps them for this tab alone. */
export const drafts = {
  read: (place: string): string | null => {
    try {
      return sessionStorage.getItem(prefix + place) ?? unstored.get(place) ?? null;
    } catch {
      return unstored.get(place) ?? null;
    }
  },
  /** Null removes it. */
  write: (place: string, text: string | null): void => {
    unstored.delete(place);
    try {
      if (text === null) sessionStorage.removeItem(prefix + place);
      else sessionStorage.setItem(prefix + place, text);
    } catch {
      if (text !== null) unstored.set(place, text);
    }
  },
  clear: (): void => {
    unstored.clear();
    try {
      for (const key of Object.keys(sessionStorage))
        if (key.startsWith(prefix)) sessionStorage.removeItem(key);
    } catch {
      // Nothing was stored.
    }
  },
};
