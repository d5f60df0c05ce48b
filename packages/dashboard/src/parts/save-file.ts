/** How long the browser may take to begin with the file. */
const patienceMs = 60_000

/** Saves a file where the browser keeps downloads, without leaving the page. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), patienceMs)
}
