import { confirmationAnswer } from '@drawbridge/contracts/confirmation';
import { restStatus } from '@drawbridge/contracts/gateway';
import { toolScopes } from '@drawbridge/contracts/groups';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access, Accounts } from '../../auth/index.ts';
import { bearerCaller, machineStatus } from '../../callers/index.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { credentialsOf, requestIdOf } from '../../http/index.ts';
import type { Mount } from './mount.ts';

/** Answers a question of the agent with an unchecked body. Throws a `ZodError`. */
export type ConfirmAsk = (userId: string, requestId: string, body: unknown) => Promise<object>;

/** A question of the agent, or a question of a machine that is answered in the agent's form. */
const isForAgent = (requestId: string, body: unknown) =>
  requestId.startsWith('ask_') || (typeof body === 'object' && body !== null && 'kind' in body);

interface Needs {
  gateway: Gateway;
  accounts: Accounts;
  confirmAsk: ConfirmAsk | null;
  bearerGuard(request: FastifyRequest, reply: FastifyReply): Promise<Access>;
}

const reachesMachines = ({ scopes }: Access) => toolScopes.some((group) => scopes.includes(group));

/** The panel's procedures for scripts, with a session's cookie and its proof. Specification 3 and 6.2. */
export const userRoutes = (
  app: FastifyInstance,
  mount: Mount,
  { gateway, accounts, confirmAsk, bearerGuard }: Needs,
): void => {
  const userId = async (request: FastifyRequest) => {
    const session = await accounts.session(credentialsOf(request));
    if (!session) throw errors.unauthorized();
    return session.user.id;
  };

  app.post('/gateway/create-link', async (request) =>
    mount.wrap(await gateway.pairing.createLinkAsSpecified(await userId(request))),
  );
  /** A token reads the status of the machines that it reaches; it makes no link and answers nothing. */
  const readerOf = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers.authorization === undefined) return { userId: await userId(request) };
    const access = await bearerGuard(request, reply);
    if (!reachesMachines(access))
      throw errors.forbidden({
        message: 'This access token reaches no machine',
        fix: 'Create one with tools.',
      });
    return bearerCaller(access);
  };
  app.get('/gateway/status', async (request, reply) =>
    mount.wrap(restStatus.parse(await machineStatus(gateway, await readerOf(request, reply)))),
  );
  app.post('/confirm/:requestId', async (request) => {
    const user = await userId(request);
    const requestId = requestIdOf(request.params);
    const { body } = request;
    if (confirmAsk && isForAgent(requestId, body)) return mount.wrap(await confirmAsk(user, requestId, body));
    const answer = confirmationAnswer.parse(body);
    return mount.wrap(await gateway.confirmations.decide(user, { requestId }, answer));
  });
};
