/** Where commands find the proxy, on the loopback address of their own network. */
export const proxyPort = 3128;

/** Where the relay of a process with ports finds the daemon, there too. */
export const relayPort = 3129;

/** Ports below are closed to programs in a sandbox; two are for the daemon's own listeners. */
export const mayHavePort = (port: number): boolean =>
  port >= 1_024 && port !== proxyPort && port !== relayPort;
