import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts, Tickets } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { credentialsOf, type Limits } from '../../http/index.ts';

interface Needs {
  accounts: Accounts;
  tickets: Tickets;
  limits: Limits;
  /** Refuses other hosts and other sites' pages. */
  guardOrigin(request: FastifyRequest): Promise<void>;
}

/** `POST /rpc/ticket`: a ticket for the person who is signed in. */
export const addTicketRoute = (app: FastifyInstance, { accounts, tickets, limits, guardOrigin }: Needs) =>
  app.post('/rpc/ticket', { onRequest: guardOrigin }, async (request, reply) => {
    const session = await accounts.session(credentialsOf(request));
    if (!session) throw errors.unauthorized();
    limits.bearer.count(reply, `person ${session.user.id}`);
    return reply.header('cache-control', 'no-store').send(await tickets.issue(session));
  });
