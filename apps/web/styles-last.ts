/** A Vite plugin: a style sheet in the head holds back the whole page, behind the shell only what follows. */
export const stylesLast = () => ({
  name: 'styles-last',
  transformIndexHtml: {
    order: 'post' as const,
    handler: (html: string): string => {
      const links = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
      const rest = links.reduce((text, link) => text.replace(link, ''), html);
      return rest.replace('</body>', `${links.join('')}</body>`);
    },
  },
});
