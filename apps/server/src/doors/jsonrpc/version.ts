/** The release of the server that clients see. */
export const serverVersion = '0.1.0';
