import type { Artifact } from '@drawbridge/contracts/agent/canvas';

/** How a document shows: a note as formatted text, everything else as JSON. */
export const shownArtifact = ({
  type,
  content,
}: Pick<Artifact, 'type' | 'content'>): { kind: 'markdown' | 'json'; text: string } => {
  const note =
    content !== null && typeof content === 'object' && 'markdown' in content ? content.markdown : content;
  if (type === 'note' && typeof note === 'string') return { kind: 'markdown', text: note };
  return { kind: 'json', text: JSON.stringify(content, null, 2) };
};
