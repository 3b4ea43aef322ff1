import { createHash } from 'node:crypto';
import { join } from 'node:path';
import ts from 'typescript';

const formatFlags =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.UseFullyQualifiedType |
  ts.TypeFormatFlags.WriteArrowStyleSignature;

/** A room whose front door is pinned: its file, and the name of the page. */
export interface FrontDoor {
  name: string;
  file: string;
}

const compilerOptions = (root: string): ts.CompilerOptions => {
  const file = join(root, 'apps/server/tsconfig.json');
  return ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, ts.sys.readFile).config,
    ts.sys,
    join(file, '..'),
  ).options;
};

const isOwnMember = (symbol: ts.Symbol, root: string) =>
  symbol.declarations?.some((declaration) => {
    const { fileName } = declaration.getSourceFile();
    return fileName.startsWith(root) && !fileName.includes('node_modules');
  }) ?? false;

/** Paths of this machine are no part of a type. */
const withoutPaths = (text: string) => text.replaceAll(/import\("[^"]*"\)\./g, '');

/** A long type is shown by its beginning; the digest tells one that differs behind it. */
const shownLength = 240;
const shown = (text: string) =>
  text.length <= shownLength
    ? text
    : `${text.slice(0, shownLength)} … ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;

interface Reading {
  checker: ts.TypeChecker;
  root: string;
}

const print = ({ checker }: Reading, type: ts.Type, more = 0) =>
  withoutPaths(checker.typeToString(type, undefined, formatFlags | more));

/** The members that we declare; those of a member with a long type, such as a router, in its place. */
const memberLines = (reading: Reading, type: ts.Type, before: string): string[] =>
  type
    .getProperties()
    .filter((member) => isOwnMember(member, reading.root))
    .flatMap((member) => {
      const own = reading.checker.getTypeOfSymbol(member);
      const text = print(reading, own);
      const name = `${before}${member.name}`;
      const isCalled = own.getCallSignatures().length > 0 || own.isUnion();
      const inner =
        text.length > shownLength && !isCalled && before.split('.').length < 3
          ? memberLines(reading, own, `${name}.`)
          : [];
      return inner.length > 0 ? inner : [`${name}: ${shown(text)}`];
    });

const linesOfExport = (reading: Reading, exported: ts.Symbol): string[] => {
  const { checker } = reading;
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  if (symbol.flags & ts.SymbolFlags.Value)
    return [`${exported.name}: ${shown(print(reading, checker.getTypeOfSymbol(symbol)))}`];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const members = type.isUnion() ? [] : memberLines(reading, type, '  ');
  return members.length > 0
    ? [`type ${exported.name}`, ...members]
    : [`type ${exported.name} = ${shown(print(reading, type, ts.TypeFormatFlags.InTypeAlias))}`];
};

const linesOf = (reading: Reading, file: ts.SourceFile): string[] => {
  const module = reading.checker.getSymbolAtLocation(file);
  return module === undefined
    ? []
    : reading.checker
        .getExportsOfModule(module)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((exported) => linesOfExport(reading, exported));
};

/** The pages of the front doors, by their names: a line for each name that may be imported, with its type. */
export const surfacesOf = (root: string, doors: FrontDoor[]): Map<string, string> => {
  const program = ts.createProgram(
    doors.map(({ file }) => join(root, file)),
    // Else the order of a union depends on what other files say.
    { ...compilerOptions(root), noEmit: true, stableTypeOrdering: true },
  );
  const checker = program.getTypeChecker();
  return new Map(
    doors.map(({ name, file }) => {
      const source = program.getSourceFile(join(root, file));
      if (source === undefined) throw new Error(`${file} is not there`);
      return [name, `${linesOf({ checker, root }, source).join('\n')}\n`];
    }),
  );
};
