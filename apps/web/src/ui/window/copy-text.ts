/**
 * Copies a text and says whether that worked. Pages on plain http have no clipboard: there it answers the
 * `copy` event, which needs no selection.
 */
export const copyText = async (text: string): Promise<boolean> => {
  if (navigator.clipboard) {
    const isWritten = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isWritten) return true;
  }
  let isPut = false;
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    isPut = true;
  };
  document.addEventListener('copy', put);
  document.execCommand?.('copy');
  document.removeEventListener('copy', put);
  return isPut;
};
