import { expect, it } from 'vitest';
import { nameWarningsOf } from './name-warnings.ts';

it.each<[string, string[]]>([
  ['Claude Code', []],
  ['Visual Studio Code', []],
  ['Клод', []],
  ['Кодекс агент', []],
  ['日本語エージェント', []],
  ['Agent É', []],
  ['\u0421laude Code', ['mixed-scripts']],
  ['Cl\u0430ude', ['mixed-scripts']],
  ['\u0421\u041e\u0420\u0415', ['look-alikes']],
  ['\u03a1\u0391\u03a4\u0391', ['look-alikes']],
  ['\uff23\uff4c\uff41\uff55\uff44\uff45', ['look-alikes']],
  ['Clau\u200bde', ['hidden-characters']],
  ['edualC\u202e', ['hidden-characters']],
  ['Drawbridge', ['own-name']],
  ['drawbridge (official)', ['own-name']],
  ['D r a w - B r i d g e', ['own-name']],
  ['DrawbrIdge Helper', ['own-name']],
  ['Drawbr1dge', ['own-name']],
  ['Dravvbridge', ['own-name']],
  ['Dräwbridge', ['own-name']],
  ['Dr\u0430wbridge', ['mixed-scripts', 'own-name']],
  ['Draw\u200bbridge', ['hidden-characters', 'own-name']],
  ['\uff24\uff52\uff41\uff57\uff42\uff52\uff49\uff44\uff47\uff45', ['look-alikes', 'own-name']],
])('NO-08: the name %j: %j', (name, warnings) => {
  expect(nameWarningsOf(name)).toEqual(warnings);
});
