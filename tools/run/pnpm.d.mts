/** Command and first arguments of the pnpm that runs this script, or of the one that the README names. */
export const pnpmCommand: () => string[];

/** Runs an install with these arguments; again, at most twice, where it writes nothing for `silentMs`. */
export const installWithPnpm: (args: string[], silentMs?: number) => Promise<void>;
