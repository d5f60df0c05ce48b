/** Where a text that was typed or pasted leads to: the screen of an id, or payments that have the text. */
export type Destination =
  | { to: '/$scope/payments/$id' | '/$scope/sessions/$id' | '/$scope/links/$id' | '/$scope/deliveries/$id'; id: string }
  | { to: '/$scope/payments'; search: string }

const screens = {
  txn: '/$scope/payments/$id',
  cs: '/$scope/sessions/$id',
  pl: '/$scope/links/$id',
  whd: '/$scope/deliveries/$id',
} as const

/** Returns where a text leads to; undefined for an empty one. An address that ends with an id counts as the id. */
export function destinationOf(text: string): Destination | undefined {
  const plain = text.trim()
  const [, id = '', prefix = ''] = /(?:^|\/)((txn|cs|pl|whd)_[a-z0-9]+)$/.exec(plain) ?? []
  if (Object.hasOwn(screens, prefix)) return { to: screens[prefix as keyof typeof screens], id }
  return plain ? { to: '/$scope/payments', search: plain } : undefined
}
