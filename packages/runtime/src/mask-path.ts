/** A sign of printable ASCII behind a percent sign, however often that itself was put behind one. */
const encoded = /%(?:25)*([2-7][\da-f])/gi

/**
 * Has `mask` cut out of a path, or an address, also what hides behind percent signs. Those are taken one by one: an ill-formed one
 * must not shield what stands beside it. What cards, keys and tokens are made of is all ASCII, so nothing else needs to be decoded.
 * The path is given in the form in which it came where that gives nothing away.
 */
export function maskPath(path: string, mask: (text: string) => string): string {
  const decoded = path.replace(encoded, (_sign, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const masked = mask(decoded)
  return masked === decoded ? mask(path) : masked
}
