/** A percent-encoded printable ASCII character, encoded once or several times. */
const encoded = /%(?:25)*([2-7][\da-f])/gi

/**
 * Applies `mask` to a path or URL, including its percent-encoded characters. Decodes them one by
 * one, so that a malformed escape does not protect its neighbors. Card numbers, keys and tokens are ASCII, so only
 * ASCII is decoded. Returns the path in its original encoding if the decoded form contains nothing to mask.
 */
export function maskPath(path: string, mask: (text: string) => string): string {
  const decoded = path.replace(encoded, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const masked = mask(decoded)
  return masked === decoded ? mask(path) : masked
}
