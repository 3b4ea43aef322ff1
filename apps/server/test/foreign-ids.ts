import { Agent } from 'node:http';
import { expect } from 'vitest';
import type { Sent, TestServer } from './server.ts';
import { unlike, type Tenants } from './tenants.ts';

/** Thousands of requests are sent one after the other. */
const agent = new Agent({ keepAlive: true });

/** What an answer tells, with the id that was asked for blotted out. */
const told = async (server: TestServer, { path, id, ...sent }: Sent & { path: string; id: string }) => {
  const { status, headers, text } = await server.send(path, { ...sent, agent });
  const { 'content-type': type, 'www-authenticate': challenge } = headers;
  return { status, type, challenge, text: text.replaceAll(id, 'the id') };
};

export type Ask = (id: string) => Sent & { path: string };

const withHeaders = (asked: ReturnType<Ask>, proof: { id: string; headers: Record<string, string> }) => ({
  ...asked,
  id: proof.id,
  headers: { ...asked.headers, ...proof.headers },
});

/** A request with an id, at its place in the request; `own` is the kind of id that it expects. */
export interface WithId {
  own?: string;
  ask: Ask;
}

/** The requests whose answer differs between an id of Ann's and an unknown one, as Ben; must be empty. */
export const differences = async (
  { server, ids, proofs }: Pick<Tenants, 'server' | 'ids' | 'proofs'>,
  table: Record<string, WithId>,
) => {
  const differing: unknown[] = [];
  for (const [name, { ask }] of Object.entries(table)) {
    for (const [kind, id] of Object.entries(ids)) {
      for (const [by, headers] of Object.entries(proofs)) {
        const answers = await Promise.all(
          [id, unlike(id)].map((one) => told(server, withHeaders(ask(one), { id: one, headers }))),
        );
        const [theirs, unknown] = answers;
        if (JSON.stringify(theirs) !== JSON.stringify(unknown))
          differing.push({ name, kind, by, theirs, unknown });
        if (Object.values(ids).some((secret) => theirs?.text.includes(secret)))
          differing.push({ name, kind, by, theirs });
      }
    }
  }
  return differing;
};

/** What Ben's session is answered about Ann's machine: a refusal of the input would say nothing of the id. */
export const statuses = async (
  { server, ids, proofs }: Pick<Tenants, 'server' | 'ids' | 'proofs'>,
  table: Record<string, WithId>,
): Promise<Record<string, number>> => {
  const found: Record<string, number> = {};
  const id = ids['machine'] ?? '';
  for (const [name, { ask }] of Object.entries(table)) {
    const asked = withHeaders(ask(id), { id, headers: proofs['session'] ?? {} });
    found[name] = (await told(server, asked)).status;
  }
  return found;
};

/** Checks that the requests know Ann's own ids: without that, equal answers would prove nothing. */
export const expectKnownToAnn = async (
  { server, annsProof, ids }: Pick<Tenants, 'server' | 'annsProof' | 'ids'>,
  table: Record<string, WithId>,
) => {
  for (const [name, { own, ask }] of Object.entries(table)) {
    if (own === undefined) continue;
    const [known, unknown] = [ids[own] ?? '', unlike(ids[own] ?? '')];
    const headers = annsProof;
    const answer = await told(server, withHeaders(ask(known), { id: known, headers }));
    expect(answer, name).not.toEqual(await told(server, withHeaders(ask(unknown), { id: unknown, headers })));
  }
};

/** Whatever Ben has tried, what is Ann's is as it was. */
export const expectUntouched = async ({ ann, ids }: Tenants) => {
  expect(await ann.panel.calls.get.query({ requestId: ids['open call'] ?? '' })).toMatchObject({
    state: 'awaiting-confirmation',
    confirmationId: ids.confirmation,
  });
  expect(await ann.panel.gateway.status.query()).toMatchObject({ state: 'online' });
  expect(await ann.panel.invitations.list.query()).toHaveLength(1);
  expect(await ann.panel.tokens.list.query()).toMatchObject([{ id: ids.token }]);
  expect(await ann.panel.clients.list.query()).toMatchObject([{ id: ids.client }]);
};
