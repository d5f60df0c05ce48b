/**
 * A random key of 32 bytes has about 30 different bytes, and 16 or fewer once in a billion.
 * Keys that repeat a short pattern have at most 16.
 */
const minDifferentBytes = 17
const minDifferentCharacters = 6

/** Returns whether a key of 32 bytes is a pattern or typed text instead of random bytes. */
export function isTrivialKey(key: Uint8Array): boolean {
  return new Set(key).size < minDifferentBytes || isArithmetic(key) || key.every(isPrintable)
}

/** Returns whether a password or token is short or consists of few different characters. */
export function isTrivialText(text: string, minLength: number): boolean {
  return text.length < minLength || new Set(text).size < minDifferentCharacters
}

/** Whether each byte differs from the one before by the same number: 0, 1, 2, … */
function isArithmetic(key: Uint8Array): boolean {
  const [first = 0, second = 0] = key
  return key.every((byte, at) => byte === ((first + at * (second - first)) & 0xff))
}

const isPrintable = (byte: number) => byte >= 0x20 && byte < 0x7f
