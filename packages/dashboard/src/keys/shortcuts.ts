/** What is pressed, as far as it decides whether a key is a shortcut. */
export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>

/** What a key brings about: the shortcut that it completes, or the keys of one that it begins. */
export interface Match {
  keys?: string
  pending: string
}

/**
 * Returns what a key means after those that are pending, where `known` are all shortcuts, such as `r` and `g p`. A key that does
 * not go on with what is pending means nothing: after `g`, no slip of a finger may refund.
 */
export function matchOf(known: readonly string[], pending: string, { key }: Pick<Press, 'key'>): Match {
  const keys = pending ? `${pending} ${key}` : key
  if (known.includes(keys)) return { keys, pending: '' }
  return { pending: known.some(one => one.startsWith(`${keys} `)) ? keys : '' }
}

/** Returns whether a key is pressed by itself. Shift only chooses the character, as for `?`, and is in the key already. */
export function isPlain({ key, ctrlKey, metaKey, altKey, isComposing }: Press): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey && !isComposing
}
