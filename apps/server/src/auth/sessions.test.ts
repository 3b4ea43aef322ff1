import { describe, expect, it } from 'vitest';
import { me, signIn } from '../../test/account.ts';
import { cookiesOf, owner, signUpOwner, startServer } from '../../test/server.ts';

const credentials = { email: owner.email, password: owner.password };

describe('a cookie that was proven before', () => {
  it('holds as long as its session, and no longer', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const seen = [await me(server, cookie), await me(server, cookie)];
    expect(seen).toEqual(Array(2).fill(expect.objectContaining({ email: owner.email, isOwner: true })));
    await server.send('/api/auth/sign-out', {
      method: 'POST',
      headers: { cookie, origin: server.url, 'content-type': 'application/json' },
      body: {},
    });
    expect([await me(server, cookie), await me(server, cookie)]).toEqual([null, null]);
  });

  it('says nothing for one that differs by a letter', async () => {
    const server = await startServer();
    await signUpOwner(server);
    const cookie = cookiesOf(await signIn(server, credentials));
    expect(await me(server, cookie)).not.toBeNull();
    const [first = '', ...rest] = cookie.split('=');
    const changed = rest.join('=').replace(/[A-Za-z]/, (letter) => (letter === 'a' ? 'b' : 'a'));
    expect(await me(server, `${first}=${changed}`)).toBeNull();
    expect(await me(server, cookie)).not.toBeNull();
  });
});
