import { sessionProofHeader } from '@drawbridge/contracts/accounts';

const name = 'drawbridge-session-proof';

/** Where the browser keeps nothing for a page: the session then lasts as long as the window. */
let unstored: string | null = null;

/** The proof that goes beside the session's cookie: in the storage of this origin, which another port of the host has not. */
export const sessionProof = {
  read: (): string | null => {
    try {
      return localStorage.getItem(name);
    } catch {
      return unstored;
    }
  },
  keep: (proof: string): void => {
    try {
      localStorage.setItem(name, proof);
    } catch {
      unstored = proof;
    }
  },
  forget: (): void => {
    try {
      localStorage.removeItem(name);
    } catch {
      unstored = null;
    }
  },
  /** Calls `changed` when another window signs in or out. */
  onChanged: (changed: () => void): void =>
    addEventListener('storage', ({ key }) => {
      if (key === name || key === null) changed();
    }),
};

export const proofHeaders = (): Record<string, string> => {
  const proof = sessionProof.read();
  return proof === null ? {} : { [sessionProofHeader]: proof };
};
