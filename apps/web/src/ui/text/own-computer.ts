/** Whether an address leads to the computer of the browser that opens it: it is of no use on another one. */
export const isOwnComputer = (address: string | URL): boolean => {
  const { hostname } = new URL(address);
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost');
};
