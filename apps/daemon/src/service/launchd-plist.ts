import type { ServiceFacts } from './facts.ts';

export const launchdLabel = 'org.drawbridge.daemon';

const text = (word: string): string => {
  if (/[\p{Cc}]/u.test(word)) throw new Error('A property list cannot hold a control character');
  return word.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
};

/** An agent of the person's own launchd: started at login, and again after a failure, at most every 20 s. */
export const launchdPlist = ({ node, cli, args, folder, path }: ServiceFacts): string => {
  const words = [node, cli, 'connect', '--non-interactive', '--dir', folder, ...args];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${launchdLabel}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...words.map((word) => `    <string>${text(word)}</string>`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    `  <dict><key>PATH</key><string>${text(path)}</string></dict>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>20</integer>',
    '  <key>Umask</key><integer>63</integer>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
};
