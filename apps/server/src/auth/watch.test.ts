import { sleep, systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { signIn } from '../../test/account.ts';
import { cookiesOf, owner, sessionHeaders, signUpOwner, startServer } from '../../test/server.ts';

describe('the end of a session', () => {
  it('ends its subscriptions, and no other', async () => {
    const server = await startServer();
    const first = await signUpOwner(server);
    const second = cookiesOf(await signIn(server, owner));
    const open = async (cookie: string) => {
      const response = await fetch(`${server.url}/trpc/live.onEvent`, {
        headers: { ...sessionHeaders(cookie), accept: 'text/event-stream' },
      });
      const reader = response.body?.getReader();
      let text = '';
      const done = (async () => {
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
          text += new TextDecoder().decode(part.value);
        }
      })().catch(() => {});
      return { done, text: () => text, cancel: () => reader?.cancel() };
    };
    const ended = await open(first);
    const kept = await open(second);
    await server.send('/api/auth/sign-out', { method: 'POST', headers: { cookie: first } });
    await ended.done;
    expect(ended.text()).toContain('UNAUTHORIZED');
    await sleep(systemClock, 50);
    expect(kept.text()).not.toContain('UNAUTHORIZED');
    await kept.cancel();
  });
});
