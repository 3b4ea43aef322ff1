/** What a unit is written from; nothing of it is a key. */
export interface ServiceFacts {
  /** Absolute, with links resolved: what is in a shell's PATH is not in that of a service. */
  node: string;
  cli: string;
  /** Flags of `drawbridge connect`. */
  args: readonly string[];
  folder: string;
  path: string;
}
