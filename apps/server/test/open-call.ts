import { connectDaemon, requestOf } from './daemon.ts';
import type { oauthOf } from './oauth.ts';
import { createPanel } from './panel.ts';

/** An open call of a client, delivered to the owner's machine; `answered` is `cut` if its request was. */
export const openCall = async (
  { server, cookie }: Pick<ReturnType<typeof oauthOf>, 'server' | 'cookie'>,
  bearer: string,
) => {
  const panel = createPanel(server, cookie);
  const { token } = await panel.gateway.createLink.mutate();
  const daemon = await connectDaemon(server, token);
  const answered = server
    .send('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_file', arguments: {} } },
    })
    .then(
      (got) => got.text,
      () => 'cut',
    );
  const { requestId } = requestOf(await daemon.stream.next());
  const answer = () =>
    daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'late, but here' }] } });
  return { panel, daemon, answered, answer };
};
