/** Returns whether each word of a text begins a word of a title, whatever their accents and case. A text of signs has none. */
export function hasWords(title: string, text: string): boolean {
  const words = wordsOf(title)
  const parts = wordsOf(text)
  return (parts.length > 0 || text.trim() === '') && parts.every(part => words.some(word => word.startsWith(part)))
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
