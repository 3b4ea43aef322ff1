/** What a client is opened with. */
export interface Connection {
  connectionString: string;
  application_name: string;
  /** How long making a connection may take. */
  connectionTimeoutMillis: number;
  /** Options of the url itself, as the server takes them. */
  options?: string;
}

const defaultSeconds = 2;
/** A busy machine needs longer than a request waits: begun anew each time, it would never be made. */
const mostConnectMs = 10_000;

const invalid = () =>
  new Error(
    'DATABASE_URL is not a valid url. Set postgres://<user>:<password>@<host>:<port>/<database>; in the password write @ as %40 and / as %2F',
  );

/**
 * What a client is opened with, and how long a request waits for it. Throws without the url, which has the
 * password.
 */
export const connectionOf = (text: string): { connection: Connection; waitMs: number } => {
  // A socket has no host: `postgres:///drawbridge?host=/run/postgresql`.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid();
  const options = url.searchParams.get('options');
  const seconds = Number(url.searchParams.get('connect_timeout') ?? defaultSeconds);
  if (!(seconds > 0)) throw invalid();
  // What is read here would replace what a client is opened with.
  for (const name of ['options', 'connect_timeout']) url.searchParams.delete(name);
  const waitMs = seconds * 1_000;
  const connection = {
    connectionString: url.href,
    application_name: 'drawbridge',
    connectionTimeoutMillis: Math.max(waitMs, mostConnectMs),
    ...(options !== null && { options }),
  };
  return { connection, waitMs };
};
