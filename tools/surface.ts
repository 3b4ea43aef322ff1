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
  return ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config, ts.sys, join(file, '..'))
    .options;
};

const isOwnMember = (symbol: ts.Symbol, root: string) =>
  symbol.declarations?.some((declaration) => {
    const { fileName } = declaration.getSourceFile();
    return fileName.startsWith(root) && !fileName.includes('node_modules');
  }) ?? false;

/** Paths of this machine are no part of a type. */
const withoutPaths = (text: string) => text.replaceAll(/import\("[^"]*"\)\./g, '');

/** The exports of one front door, a line each; the members of an interface below it. */
const linesOf = (checker: ts.TypeChecker, file: ts.SourceFile, root: string): string[] => {
  const module = checker.getSymbolAtLocation(file);
  if (module === undefined) return [];
  const print = (type: ts.Type) => withoutPaths(checker.typeToString(type, undefined, formatFlags));
  return checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((exported) => {
      const symbol =
        exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (symbol.flags & ts.SymbolFlags.Value) return [`${exported.name}: ${print(checker.getTypeOfSymbol(symbol))}`];
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      const members = type.isUnion() ? [] : type.getProperties().filter((member) => isOwnMember(member, root));
      if (members.length === 0) {
        const text = checker.typeToString(type, undefined, formatFlags | ts.TypeFormatFlags.InTypeAlias);
        return [`type ${exported.name} = ${withoutPaths(text)}`];
      }
      return [
        `type ${exported.name}`,
        ...members.map((member) => `  ${member.name}: ${print(checker.getTypeOfSymbol(member))}`),
      ];
    });
};

/** The pages of the front doors, by their names: what may be imported from each, with its types. */
export const surfacesOf = (root: string, doors: FrontDoor[]): Map<string, string> => {
  const program = ts.createProgram(
    doors.map(({ file }) => join(root, file)),
    { ...compilerOptions(root), noEmit: true },
  );
  const checker = program.getTypeChecker();
  return new Map(
    doors.map(({ name, file }) => {
      const source = program.getSourceFile(join(root, file));
      if (source === undefined) throw new Error(`${file} is not there`);
      return [name, `${linesOf(checker, source, root).join('\n')}\n`];
    }),
  );
};
