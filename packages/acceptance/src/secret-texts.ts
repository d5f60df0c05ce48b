/** The public members of a JWK. */
const publicMembers = new Set(['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'])
/** Shorter secrets occur in other texts by chance. */
const shortest = 12

/** A secret and the place where it was found. */
export type SecretText = readonly [where: string, text: string]

/** Returns all texts in an object of secrets, except key ids and the public members of JWKs. */
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

/** Returns the passwords in addresses, except those short enough to occur by chance. */
export function passwordsOf(addresses: string[]): SecretText[] {
  return addresses.flatMap(address => {
    const { username, password, host } = new URL(address)
    const known = decodeURIComponent(password)
    return known.length < shortest ? [] : [[`the password of ${username} at ${host}`, known] as const]
  })
}

/** Returns whether a text contains a secret: as is, URL-encoded, in base64 or as a key's bytes. */
export function containsSecret(text: string, secret: string): boolean {
  return formsOf(secret).some(form => text.includes(form))
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const decoded = Buffer.from(secret, 'base64')
  const key = decoded.length === 32 ? [decoded.toString('hex'), decoded.join(), decoded.toString('base64url')] : []
  const unpadded = secret.replace(/=+$/, '')
  return [...new Set([unpadded, encodeURIComponent(unpadded), bytes.toString('base64').replace(/=+$/, ''), ...key])]
}
