import { isSubdomain, parseUrl } from '@drawbridge/kit';

/** The push services of Chromium, Firefox, Safari and Edge. */
const services = [
  'fcm.googleapis.com',
  'jmt17.google.com',
  'push.services.mozilla.com',
  'push.apple.com',
  'notify.windows.com',
];

/** Whether a browser's push service has that address; the server sends nothing to any other. */
export const isPushEndpoint = (text: string): boolean => {
  const url = parseUrl(text);
  return (
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    services.some((service) => url.hostname === service || isSubdomain(url.hostname, service))
  );
};
