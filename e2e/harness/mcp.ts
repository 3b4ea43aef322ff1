interface McpMessage {
  token: string | undefined;
  /** The JSON text of one message. */
  body: string;
  /** Beside those that every client sends; without any, the message is of revision 2025-11-25. */
  headers?: Record<string, string>;
}

/** Posts one message to `/mcp` without a session, as a client does that reads JSON and streams. */
export const postMcp = (url: string, { token, body, headers }: McpMessage): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(headers ?? { 'mcp-protocol-version': '2025-11-25' }),
    },
    body,
  });
