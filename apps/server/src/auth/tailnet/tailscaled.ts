import { request } from 'node:http';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { readLimited } from '../../outside/index.ts';

const answerWithinMs = 5_000;
const answerBytes = 1024 * 1024;

/** What is read of `WhoIsResponse`. A tagged node belongs to no person. */
const whoIs = z.object({
  Node: z.object({ StableID: z.string().min(1), Tags: z.array(z.string()).nullish() }),
  UserProfile: z.object({ LoginName: z.string().min(1) }),
});
/** What is read of `Status`. */
const status = z.object({ Self: z.object({ ID: z.string().min(1) }) });

/** A node of the tailnet; `login` is null for a tagged one. */
interface TailnetNode {
  id: string;
  login: string | null;
}

interface Needs {
  /** The Unix socket of tailscaled's local API. */
  socketPath: string;
  clock: Clock;
}

/** The local API of tailscaled. Its methods throw where it is absent, slow, or answers something else. */
export const createTailscaled = ({ socketPath, clock }: Needs) => {
  const get = (path: string): Promise<{ status: number; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath, path, headers: { host: 'local-tailscaled.sock' } }, (answer) => {
        readLimited(answer, answerBytes).then(
          (body) => resolve({ status: answer.statusCode ?? 0, body }),
          reject,
        );
      });
      const cancel = clock.after(answerWithinMs, () => asked.destroy(new Error('tailscaled did not answer')));
      asked.once('close', cancel);
      asked.once('error', reject);
      asked.end();
    });

  const read = async <Body>(path: string, schema: z.ZodType<Body>): Promise<Body | null> => {
    const answer = await get(`/localapi/v0/${path}`);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`tailscaled answered ${answer.status}`);
    return schema.parse(JSON.parse(answer.body.toString()));
  };

  return {
    /** The node behind the other end of a connection; null for an address outside the tailnet. */
    whoIs: async (address: string, port: number): Promise<TailnetNode | null> => {
      const peer = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
      const found = await read(`whois?addr=${encodeURIComponent(peer)}`, whoIs);
      if (!found) return null;
      const { Node, UserProfile } = found;
      const isTagged = (Node.Tags?.length ?? 0) > 0;
      return { id: Node.StableID, login: isTagged ? null : UserProfile.LoginName };
    },
    /** The id of this machine's own node. */
    ownId: async (): Promise<string | null> => (await read('status?peers=false', status))?.Self.ID ?? null,
  };
};

export type Tailscaled = ReturnType<typeof createTailscaled>;
