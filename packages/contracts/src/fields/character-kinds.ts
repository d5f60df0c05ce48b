/** The kinds of characters, in five bits: a digit's is `digitKind` plus its value. */
const letterKind = 1
export const separatorKind = 2
export const digitKind = 16
export const kindBits = 5
export const kindMask = 31

export const backslash = 0x5c
const zero = 0x30

/**
 * The kinds of each code point after NFKC, the first in the lowest bits: `①` has one, `½` three.
 * 0 where they are not known yet, and for surrogates and backslashes, which start something longer.
 * Every entry is computed once in the life of the process.
 */
const kinds = new Int32Array(0x110000)

/** The characters of JSON's short escapes. */
const escapable = new Uint8Array(0x80)
for (const character of '"/bfnrt') escapable[character.charCodeAt(0)] = 1

/** Returns the kinds of the character at an offset, or 0 if `kindsAt` must read it. */
export function plainKindsAt(text: string, at: number): number {
  return kinds[text.charCodeAt(at)] ?? 0
}

/** Returns where the character at an offset ends. An escape of JSON is one character. */
export function endOfCharacter(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  if (code !== backslash) return at + (code > 0xffff ? 2 : 1)
  let end = at + 1
  // JSON inside of JSON escapes its backslashes.
  while (text.charCodeAt(end) === backslash) end++
  const escaped = escapedCode(text, end)
  // After several backslashes it may be no escape: a text that begins with \u4242 has a second backslash in JSON.
  if (escaped >= 0 && (end === at + 1 || kindsOf(escaped) !== letterKind)) return end + 5
  return end < text.length && escapable[text.charCodeAt(end)] ? end + 1 : end
}

/** Returns the kinds of the character at an offset: `letterKind`, `separatorKind` or digits. */
export function kindsAt(text: string, at: number, end: number): number {
  const code = text.codePointAt(at) ?? 0
  if (code !== backslash) return kindsOf(code)
  return end - at > 5 ? kindsOf(escapedCode(text, end - 5)) || separatorKind : separatorKind
}

/** Returns the code unit of an escape `uXXXX` without its backslash, or a negative number. */
function escapedCode(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x75) return -1
  let code = 0
  for (let i = at + 1; i < at + 5; i++) {
    const unit = text.charCodeAt(i)
    const digit = unit <= 0x39 ? unit - zero : (unit | 0x20) - 0x57
    if (!(digit >= 0 && digit < 16) || (unit > 0x39 && digit < 10)) return -1
    code = code * 16 + digit
  }
  return code
}

function kindsOf(code: number): number {
  if (code < 0) return 0
  if (code === backslash) return separatorKind
  const known = kinds[code]
  if (known) return known
  const found = classify(code)
  // Half a surrogate pair says nothing about the pairs that begin with it.
  if (code < 0xd800 || code > 0xdfff) kinds[code] = found
  return found
}

function classify(code: number): number {
  const characters = [...String.fromCodePoint(code).normalize('NFKC')]
  if (!characters.some(isDigit)) return characters.some(isAlphanumeric) ? letterKind : separatorKind
  return characters.reduceRight((rest, character) => (rest << kindBits) | kindOf(character), 0)
}

function kindOf(character: string): number {
  if (isDigit(character)) return digitKind + Number(character)
  return isAlphanumeric(character) ? letterKind : separatorKind
}

const isDigit = (character: string) => /[0-9]/.test(character)
const isAlphanumeric = (character: string) => /[\p{L}\p{N}]/u.test(character)
