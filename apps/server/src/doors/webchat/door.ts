import { pushEndpoint, pushSubscription, type PushKey } from '@drawbridge/contracts/notifications';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Accounts, Session } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { credentialsOf, refuseOtherMethods, setCacheControl } from '../../http/index.ts';
import type { Notifications } from '../../push/index.ts';

interface Needs {
  accounts: Accounts;
  notifications: Notifications;
  /** Refuses what another site sends with a user's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
}

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
    app.addHook('onRequest', guardOrigin);
    setCacheControl(app, 'no-store');
    const refuseOthers = refuseOtherMethods(app);
    // Before the body is read.
    app.addHook('onRequest', async (request) => {
      const session = await accounts.session(credentialsOf(request));
      if (!session) throw errors.unauthorized();
      sessions.set(request, session);
    });
    app.get('/webchat/push/public-key', async () => key);
    app.get('/webchat/push/subscriptions', (request) => devices.count(sessionOf(request).user.id));
    app.post('/webchat/push/subscriptions', (request) =>
      devices.subscribe(sessionOf(request), pushSubscription.parse(request.body)),
    );
    app.delete('/webchat/push/subscriptions', (request) =>
      devices.unsubscribe(sessionOf(request).user.id, pushEndpoint.parse(request.body).endpoint),
    );
    refuseOthers();
  };
};
