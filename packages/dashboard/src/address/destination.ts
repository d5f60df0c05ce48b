const screens = {
  txn: '/$scope/payments/$id',
  cs: '/$scope/sessions/$id',
  pl: '/$scope/links/$id',
  whd: '/$scope/deliveries/$id',
  req: '/$scope/requests/$id',
  suc: '/$scope/branches/$id',
} as const

/** The address of the screen of one object. */
export type DetailScreenPath = (typeof screens)[keyof typeof screens]

/** Where a text that was typed or pasted leads to: the screen of an id, or payments that have the text. */
export type Destination = { to: DetailScreenPath; id: string } | { to: '/$scope/payments'; search: string }

/** Returns where a text leads to; undefined for an empty one. An address that ends with an id counts as the id. */
export function destinationOf(text: string): Destination | undefined {
  const plain = text.trim()
  const [, id = ''] = /(?:^|\/)([a-z]+_[a-z0-9]+)$/.exec(plain) ?? []
  return screenOf(id) ?? (plain ? { to: '/$scope/payments', search: plain } : undefined)
}

/** Returns the screen of an id; undefined where its kind has none. */
export function screenOf(id: string): { to: DetailScreenPath; id: string } | undefined {
  const [, prefix = ''] = /^([a-z]+)_[a-z0-9]+$/.exec(id) ?? []
  return Object.hasOwn(screens, prefix) ? { to: screens[prefix as keyof typeof screens], id } : undefined
}
