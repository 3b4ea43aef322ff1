/** Command and first arguments of the pnpm that runs this script, or of the one that the README names. */
export const pnpmCommand: () => string[];
