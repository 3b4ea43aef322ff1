/** A text in the storage of the browser; if that is refused, it lasts as long as the window. */
export const createStored = (key: string) => {
  let unstored: string | null = null;
  return {
    read: (): string | null => {
      try {
        return localStorage.getItem(key);
      } catch {
        return unstored;
      }
    },
    /** Null removes it. */
    write: (text: string | null): void => {
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
      } catch {
        unstored = text;
      }
    },
  };
};

const draftPrefix = 'drawbridge-draft ';
/** Where the browser refuses its storage, they last as long as the page. */
const unstoredDrafts = new Map<string, string>();

/** Texts that were typed and not sent, by their place. The browser keeps them for this tab alone. */
export const drafts = {
  read: (place: string): string | null => {
    try {
      return unstoredDrafts.get(place) ?? sessionStorage.getItem(draftPrefix + place);
    } catch {
      return null;
    }
  },
  /** Null removes it. */
  write: (place: string, text: string | null): void => {
    unstoredDrafts.delete(place);
    try {
      if (text === null) sessionStorage.removeItem(draftPrefix + place);
      else sessionStorage.setItem(draftPrefix + place, text);
    } catch {
      if (text !== null) unstoredDrafts.set(place, text);
    }
  },
  clear: (): void => {
    unstoredDrafts.clear();
    try {
      for (const key of Object.keys(sessionStorage))
        if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key);
    } catch {
      // Nothing was stored.
    }
  },
};
