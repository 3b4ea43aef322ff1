import { confirmationAnswer, restStatus } from '@drawbridge/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import type { UserSide } from '../../gateway/index.ts';
import type { Mount } from './mount.ts';
import { requestIdOf } from './request-id.ts';

/** The panel's procedures for scripts, with a session's cookie. Specification 3 and 6.2. */
export const userRoutes = (
  app: FastifyInstance,
  mount: Mount,
  { gateway, accounts }: { gateway: UserSide; accounts: Accounts },
): void => {
  const userId = async (request: FastifyRequest) => {
    const session = await accounts.session(request.headers.cookie);
    if (!session) throw errors.unauthorized();
    return session.user.id;
  };

  app.post('/gateway/create-link', async (request) =>
    mount.wrap(await gateway.createLink(await userId(request))),
  );
  app.get('/gateway/status', async (request) =>
    mount.wrap(restStatus.parse(await gateway.status(await userId(request)))),
  );
  app.post('/confirm/:requestId', async (request) => {
    const user = await userId(request);
    const key = { requestId: requestIdOf(request.params) };
    return mount.wrap(await gateway.decide(user, key, confirmationAnswer.parse(request.body)));
  });
};
