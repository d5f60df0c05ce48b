/** The screens of single objects by the prefix of their ids, each with the operation that a user has to be allowed to see it. */
const screens = {
  txn: { to: '/$scope/payments/$id', needs: 'getTransaction' },
  cs: { to: '/$scope/sessions/$id', needs: 'getMerchantCheckoutSession' },
  pl: { to: '/$scope/links/$id', needs: 'getMerchantPaymentLink' },
  whd: { to: '/$scope/deliveries/$id', needs: 'getWebhookDelivery' },
  req: { to: '/$scope/requests/$id', needs: 'listRequests' },
  suc: { to: '/$scope/branches/$id', needs: 'getSucursal' },
} as const

/** The address of the screen of one object. */
export type DetailScreenPath = (typeof screens)[keyof typeof screens]['to']

/** The screen of one object, and what a user has to be allowed to see it. */
export interface DetailScreenOf {
  to: DetailScreenPath
  needs: string
  id: string
}

/** Where a text that was typed or pasted leads to: the screen of an id, or payments that have the text. */
export type Destination = DetailScreenOf | { to: '/$scope/payments'; search: string }

/** Returns where a text leads to; undefined for an empty one. An address that ends with an id counts as the id. */
export function destinationOf(text: string): Destination | undefined {
  const plain = text.trim()
  const [, id = ''] = /(?:^|\/)([a-z]+_[a-z0-9]+)$/.exec(plain) ?? []
  return screenOf(id) ?? (plain ? { to: '/$scope/payments', search: plain } : undefined)
}

/** Returns the screen of an id; undefined where its kind has none. */
export function screenOf(id: string): DetailScreenOf | undefined {
  const [, prefix = ''] = /^([a-z]+)_[a-z0-9]+$/.exec(id) ?? []
  return Object.hasOwn(screens, prefix) ? { ...screens[prefix as keyof typeof screens], id } : undefined
}
