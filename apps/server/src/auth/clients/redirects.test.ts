import { expect, it } from 'vitest';
import { registeredRedirect } from './redirects.ts';

it.each([
  ['the same address', 'https://client.example/callback', 'https://client.example/callback', true],
  ['another port of this machine', 'http://127.0.0.1:1/callback', 'http://127.0.0.1:50123/callback', true],
  ['a port where none was named', 'http://localhost/callback', 'http://localhost:50123/callback', true],
  [
    'another port of a site',
    'https://client.example/callback',
    'https://client.example:8443/callback',
    false,
  ],
  ['another port, http', 'http://client.example/callback', 'http://client.example:8080/callback', false],
  ['another port, https', 'https://127.0.0.1:1/callback', 'https://127.0.0.1:2/callback', false],
  ['another name of this machine', 'http://localhost:1/callback', 'http://127.0.0.1:1/callback', false],
  ['another scheme', 'http://127.0.0.1:1/callback', 'https://127.0.0.1:1/callback', false],
  ['another path', 'http://127.0.0.1:1/callback', 'http://127.0.0.1:2/other', false],
  ['no address', 'http://127.0.0.1:1/callback', '', false],
])('MC-16 a client that is registered may be answered at %s', (_, registered, asked, isTaken) => {
  expect(registeredRedirect(['https://other.example/', registered], asked)).toBe(isTaken);
});
