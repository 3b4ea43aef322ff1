import { expect, it } from 'vitest';
import { mainLine } from './main-line.ts';

it.each<[string, string, number]>([
  [' \t\nls -a\n', 'ls -a', 0],
  // Another space is a part of the command.
  ['\u00a0ls', '\u00a0ls', 0],
  ['set -euo pipefail\n# tidy\n\ncd ./src\n  npm test\nls', 'npm test', 5],
  ['for f in *.md; do\n  sed -i s/a/b/ "$f"\ndone', 'sed -i s/a/b/ "$f"', 2],
  // What does something is not passed over.
  ['cd src && rm -r .\nls', 'cd src && rm -r .', 1],
  ['for f in *; do rm "$f"; done\nls', 'for f in *; do rm "$f"; done', 1],
  ['cd "$(rm -r .)"\nls', 'cd "$(rm -r .)"', 1],
  ['set -e\ncd x', 'set -e', 1],
  ['', '', 0],
])('of %j it is %j, beside %d others', (command, line, others) => {
  expect(mainLine(command)).toEqual({ line, others });
});
