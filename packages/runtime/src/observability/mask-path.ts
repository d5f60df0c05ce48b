const percent = '%(?:25)*'
const next = `${percent}[89ab][\\da-f]`

/** A percent-encoded character: of ASCII, with its digits captured, or a sequence of UTF-8. */
const encoded = new RegExp(
  `${percent}(?:([0-7][\\da-f])|(?:c[2-9a-f]|d[\\da-f])${next}|e[\\da-f]${next}${next}|f[0-4]${next}${next}${next})`,
  'gi',
)
const unprintable = /[^\x20-\x7e]/gu

/**
 * Applies `mask` to a path or URL, including its percent-encoded characters. Decodes them one by
 * one, encoded once or several times, so that a malformed escape does not protect its neighbors. Returns the path in
 * its original encoding if the decoded form contains nothing to mask, else that form with only printable ASCII decoded.
 */
export function maskPath(path: string, mask: (text: string) => string): string {
  const decoded = path.replace(encoded, decode)
  const masked = mask(decoded)
  if (masked !== decoded) return masked.toWellFormed().replace(unprintable, encodeURIComponent)
  return decoded === path ? path : mask(path)
}

function decode(escapes: string, ascii?: string): string {
  if (ascii !== undefined) return String.fromCharCode(Number.parseInt(ascii, 16))
  try {
    return decodeURIComponent(escapes.replace(/%(?:25)+/g, '%'))
  } catch {
    return escapes
  }
}
