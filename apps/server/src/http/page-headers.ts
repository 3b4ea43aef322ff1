const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The panel's parts write their colours into a style element at run time.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  'media-src blob:',
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];
const hstsSeconds = 180 * 24 * 60 * 60;

/** The headers of every answer: a page may load and reach nothing but this server. */
export const pageHeaders = (secure: boolean): Record<string, string> => ({
  'content-security-policy': [...policy, ...(secure ? ['upgrade-insecure-requests'] : [])].join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(self), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  ...(secure && { 'strict-transport-security': `max-age=${hstsSeconds}` }),
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  // The filter of old browsers is switched off: it could be made to block scripts of the page itself.
  'x-xss-protection': '0',
});
