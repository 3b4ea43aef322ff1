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

interface McpCall {
  token: string | undefined;
  tool: string;
  args: Record<string, unknown>;
}

/** Calls a tool through `/mcp`: the first text of its result, which comes as JSON or in a stream. */
export const callMcp = async (url: string, { token, tool, args }: McpCall): Promise<string> => {
  const params = { name: tool, arguments: args };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const text = await (await postMcp(url, { token, body })).text();
  const { result } = JSON.parse(text.replace(/^[^]*?data: (?=\{)/, '').trim()) as {
    result: { content: { text?: string }[] };
  };
  return result.content[0]?.text ?? '';
};
