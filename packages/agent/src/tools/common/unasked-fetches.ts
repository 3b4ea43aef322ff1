import { agentLimits } from '../../rows/limits.ts';

/** The addresses that a run has fetched without a question, and the characters that they could carry. */
export interface UnaskedFetches {
  addresses: Set<string>;
  characters: number;
}

/** Counts an address that is new; false where the run has spent what it may fetch unasked. */
export const countUnasked = (fetched: UnaskedFetches, address: string): boolean => {
  if (fetched.addresses.has(address)) return true;
  const { pathname, search } = new URL(address);
  const characters = fetched.characters + pathname.length + search.length;
  if (fetched.addresses.size >= agentLimits.unaskedAddresses || characters > agentLimits.unaskedCharacters)
    return false;
  fetched.addresses.add(address);
  fetched.characters = characters;
  return true;
};
