/** How the keys begin under which this browser stores what is of a user. Language and theme are of the browser itself. */
const ofUser = ['cobro.timezone', 'cobro.scopes.'] as const

export const zoneKey = ofUser[0]
export const scopesKey = (userId: string): string => ofUser[1] + userId

/** Deletes what this browser stores of its users. */
export function forgetUsers(storage: Pick<Storage, 'length' | 'key' | 'removeItem'>): void {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
  for (const key of keys) if (ofUser.some(start => key.startsWith(start))) storage.removeItem(key)
}
