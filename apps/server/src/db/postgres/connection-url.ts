/** What a client is opened with. */
export interface Connection {
  connectionString: string;
  application_name: string;
  /** How long to wait for a connection, a new one or a free one. */
  connectionTimeoutMillis: number;
  /** Options of the url itself, as the server takes them. */
  options?: string;
}

const defaultSeconds = 2;

const invalid = () =>
  new Error(
    'DATABASE_URL is not a valid url. Set postgres://<user>:<password>@<host>:<port>/<database>; in the password write @ as %40 and / as %2F',
  );

/** Throws without the url, which has the password. */
export const connectionOf = (text: string): Connection => {
  // A socket has no host: `postgres:///drawbridge?host=/run/postgresql`.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid();
  const options = url.searchParams.get('options');
  const seconds = Number(url.searchParams.get('connect_timeout') ?? defaultSeconds);
  if (!(seconds > 0)) throw invalid();
  // What is read here would replace what a client is opened with.
  for (const name of ['options', 'connect_timeout']) url.searchParams.delete(name);
  return {
    connectionString: url.href,
    application_name: 'drawbridge',
    connectionTimeoutMillis: seconds * 1_000,
    ...(options !== null && { options }),
  };
};
