import type { Connection } from './connection.ts';

/** The open connections of this server. */
export const createConnections = () => {
  const open = new Set<Connection>();
  return {
    add: (connection: Connection): void => {
      open.add(connection);
      connection.onClosed(() => open.delete(connection));
    },
    all: (): ReadonlySet<Connection> => open,
    ofUser: (userId: string): Connection[] => [...open].filter(({ identity }) => identity.userId === userId),
  };
};

export type Connections = ReturnType<typeof createConnections>;
