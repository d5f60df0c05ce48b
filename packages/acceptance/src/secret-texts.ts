/** The members of a JWK that anybody may know. */
const publicMembers = new Set(['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'])
/** Anything shorter stands in some text by chance. */
const shortest = 12

/** A secret, and where it was found. */
export type SecretText = readonly [where: string, text: string]

/** Every text in an object of secrets: of key rings the keys without their names, of JWKs what is private. */
export function secretTexts(secrets: object, within = ''): SecretText[] {
  return Object.entries(secrets).flatMap(([name, value]) => {
    const where = within ? `${within}.${name}` : name
    if (typeof value === 'object' && value !== null) return secretTexts(value, where)
    if ('kty' in secrets && publicMembers.has(name)) return []
    const texts = String(value)
      .split(/[:,]/)
      .filter(text => text.length >= shortest)
    if (texts.length === 0) throw new Error(`${where} is too short to be looked for.`)
    return texts.map(text => [where, text] as const)
  })
}

/** The passwords in addresses; those that may stand in any text by chance are left out. */
export function passwordsOf(addresses: string[]): SecretText[] {
  return addresses.flatMap(address => {
    const { username, password, host } = new URL(address)
    const known = decodeURIComponent(password)
    return known.length < shortest ? [] : [[`the password of ${username} at ${host}`, known] as const]
  })
}

/** Whether a text holds a secret, be it encoded as for an address, in base64 or, where it is the base64 of a key, as its bytes. */
export function tells(text: string, secret: string): boolean {
  return formsOf(secret).some(form => text.includes(form))
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const decoded = Buffer.from(secret, 'base64')
  const key = decoded.length === 32 ? [decoded.toString('hex'), decoded.join(), decoded.toString('base64url')] : []
  const unpadded = secret.replace(/=+$/, '')
  return [...new Set([unpadded, encodeURIComponent(unpadded), bytes.toString('base64').replace(/=+$/, ''), ...key])]
}
