import { pushEndpoint, pushSubscription, type PushKey } from '@drawbridge/contracts/outside/notifications';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Accounts, Session } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { credentialsOf, refuseOtherMethods, setCacheControl } from '../../http/index.ts';
import type { Notifications } from '../../notify/index.ts';

interface Needs {
  accounts: Accounts;
  notifications: Notifications;
  /** Refuses what another site sends with a user's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
}

const keyPath = '/webchat/push/public-key';
const path = '/webchat/push/subscriptions';

/**
 * Web Push subscriptions, for people who are signed in: a token could aim notifications at a device of its
 * own. Specification of the gateway protocol, push endpoints.
 */
export const createWebchatDoor = ({ accounts, notifications, guardOrigin }: Needs): FastifyPluginAsync => {
  const { publicKey, devices } = notifications;
  const key: PushKey = { enabled: true, configured: true, publicKey };

  return async (app) => {
    const sessions = new WeakMap<FastifyRequest, Session>();
    const sessionOf = (request: FastifyRequest): Session => {
      const session = sessions.get(request);
      if (!session) throw errors.unauthorized();
      return session;
    };
    // Before the body is read.
    const onRequest = async (request: FastifyRequest) => {
      const session = await accounts.session(credentialsOf(request));
      if (!session) throw errors.unauthorized();
      sessions.set(request, session);
    };
    app.addHook('onRequest', guardOrigin);
    setCacheControl(app, 'no-store');
    const refuseOthers = refuseOtherMethods(app);
    app.get(keyPath, { onRequest }, async () => key);
    app.get(path, { onRequest }, (request) => devices.count(sessionOf(request).user.id));
    app.post(path, { onRequest }, (request) =>
      devices.subscribe(sessionOf(request), pushSubscription.parse(request.body)),
    );
    app.delete(path, { onRequest }, (request) =>
      devices.unsubscribe(sessionOf(request).user.id, pushEndpoint.parse(request.body).endpoint),
    );
    refuseOthers();
  };
};
