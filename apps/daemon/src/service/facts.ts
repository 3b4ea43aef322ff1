export interface ServiceFacts {
  /** Absolute, with links resolved: what is in a shell's PATH is not in that of a service. */
  node: string;
  cli: string;
  args: readonly string[];
  folder: string;
  path: string;
}
