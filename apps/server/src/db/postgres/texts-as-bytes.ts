import {
  DataTypeNode,
  OperationNodeTransformer,
  RawNode,
  type ColumnDefinitionNode,
  type KyselyPlugin,
} from 'kysely';

class TextsAsBytes extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const made = super.transformColumnDefinition(node);
    if (!DataTypeNode.is(made.dataType) || made.dataType.dataType !== 'text') return made;
    return { ...made, dataType: RawNode.createWithSql('text collate "C"') };
  }
}

const transformer = new TextsAsBytes();

/**
 * Columns of text that a migration makes compare by their bytes, as SQLite's do and as the code does with
 * ids: the collation of a database is set by who made it.
 */
export const textsAsBytes: KyselyPlugin = {
  transformQuery: ({ node }) => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
};
