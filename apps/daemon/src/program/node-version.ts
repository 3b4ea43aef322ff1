/** The oldest Node that the daemon runs on; `engines` in package.json says the same. */
export const leastNode = [22, 13] as const;

export const isNewEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
};
