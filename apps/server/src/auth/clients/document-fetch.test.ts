import { describe, expect, it } from 'vitest';
import { openSite, publicAddress, siteHost } from '../../../test/document-site.ts';
import { createDocumentFetch } from './document-fetch.ts';

describe('what is fetched about a client', () => {
  it.each([
    'http://client.example/keys.json',
    'https://127.0.0.1/keys.json',
    'https://[::1]/keys.json',
    'https://[::ffff:10.0.0.1]/keys.json',
    'https://2130706433/keys.json',
    'https://localhost/keys.json',
    'https://metadata.google.internal/keys.json',
    'file:///etc/passwd',
  ])('MC-17 comes from no address inside: %s', async (address) => {
    const site = await openSite({ 'client.example': [publicAddress] });
    const fetchDocument = createDocumentFetch(site.outside);
    await expect(fetchDocument(address)).rejects.toThrow('The address is not public');
    expect(site.asked).toEqual([]);
  });

  it.each([
    ['is read up to 64 KiB', 64 * 1024, true],
    ['is not read beyond', 64 * 1024 + 1, false],
  ])('MC-17 %s', async (_, length, isRead) => {
    const site = await openSite();
    site.pages.set('/long', (reply) => reply.writeHead(200).end('x'.repeat(length)));
    const fetched = Promise.resolve(createDocumentFetch(site.outside)(`https://${siteHost}/long`));
    const size = await fetched.then(
      async (response) => (await response.arrayBuffer()).byteLength,
      (error: unknown) => String(error),
    );
    expect(size).toBe(isRead ? length : 'RangeError: longer than 65536 bytes');
  });

  it.each([
    ['before its answer begins', () => {}],
    ['in the middle of its answer', (begin: () => void) => begin()],
  ])('MC-17 is given up %s when its time is over', async (_, answer) => {
    const site = await openSite();
    const over = new AbortController();
    site.pages.set('/slow', (reply) => {
      reply.once('close', () => site.asked.push('closed'));
      answer(() => void reply.writeHead(200).flushHeaders());
      over.abort();
    });
    const { signal } = over;
    await expect(createDocumentFetch(site.outside)(`https://${siteHost}/slow`, { signal })).rejects.toThrow();
    await expect.poll(() => site.asked).toEqual(['/slow', 'closed']);
  });
});
