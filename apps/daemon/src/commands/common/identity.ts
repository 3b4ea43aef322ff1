import { hostname, userInfo } from 'node:os';

const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's table, as in some containers.
    return 'user';
  }
};

/** `user@host`, as the panel shows this machine. */
export const hostIdentifier = (): string => `${userName()}@${hostname()}`.slice(0, 256);
