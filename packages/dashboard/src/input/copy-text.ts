/**
 * Copies a text, and returns whether that was possible: browsers have no clipboard over plain http, other than on this machine, and
 * may refuse.
 */
export async function copyText(text: string): Promise<boolean> {
  const copied = navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  return (await copied) ?? false
}
