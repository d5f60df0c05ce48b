import type { Search } from './search.ts'

/** The screens of single objects by the prefix of their ids, each with the operation that a user has to be allowed to see it. */
const screens = {
  txn: { to: '/$scope/payments/$id', needs: 'getTransaction' },
  cs: { to: '/$scope/sessions/$id', needs: 'getMerchantCheckoutSession' },
  pl: { to: '/$scope/links/$id', needs: 'getMerchantPaymentLink' },
  whd: { to: '/$scope/deliveries/$id', needs: 'getWebhookDelivery' },
  req: { to: '/$scope/requests/$id', needs: 'listRequests' },
  suc: { to: '/$scope/branches/$id', needs: 'getSucursal' },
} as const

const toPayments = { to: '/$scope/payments', needs: 'listTransactions' } as const
const toDeliveries = { to: '/$scope/deliveries', needs: 'listWebhookDeliveries' } as const

/** The lists that show what belongs to an id without a screen of its own, by its prefix, and their filter by it, if they have one. */
const lists = {
  trm: { ...toPayments, filter: 'terminal_id' },
  corr: { ...toPayments, filter: 'correlation_id' },
  whk: { ...toDeliveries, filter: 'webhook_id' },
  evt: { ...toDeliveries, filter: 'event_id' },
  key: { to: '/$scope/keys', needs: 'listApiKeys', filter: undefined },
} as const

/** The address of the screen of one object. */
export type DetailScreenPath = (typeof screens)[keyof typeof screens]['to']

/** The screen of one object, and what a user has to be allowed to see it. */
export interface DetailScreenOf {
  to: DetailScreenPath
  needs: string
  id: string
}

/** A list with filters, and what a user has to be allowed to see it. */
interface ListOf {
  to: (typeof lists)[keyof typeof lists]['to']
  needs: string
  search: Search
}

/** Where a text or an id leads to. */
export type Destination = DetailScreenOf | ListOf

/** Returns where a text that was typed or pasted leads to: to its id, or payments that have it; undefined for an empty one. */
export function destinationOf(text: string): Destination | undefined {
  const search = text.trim()
  return placeOf(search) ?? (search ? { ...toPayments, search: { search } } : undefined)
}

/** Returns where the id leads to that a text is, or the address that ends with one; undefined where nothing of it is shown. */
export function placeOf(text: string): Destination | undefined {
  const [, id = '', prefix = ''] = /(?:^|\/)(([a-z]+)_[a-z0-9]+)$/.exec(text.trim()) ?? []
  if (!Object.hasOwn(lists, prefix)) return screenOf(id)
  const { to, needs, filter } = lists[prefix as keyof typeof lists]
  return { to, needs, search: filter ? { [filter]: id } : {} }
}

/** Returns what to navigate to for a place in a scope. */
export const targetOf = (place: Destination, scope: string) =>
  'id' in place
    ? ({ to: place.to, params: { scope, id: place.id } } as const)
    : ({ to: place.to, params: { scope }, search: place.search } as const)

/** Returns the screen of an id; undefined where its kind has none. */
export function screenOf(id: string): DetailScreenOf | undefined {
  const [, prefix = ''] = /^([a-z]+)_[a-z0-9]+$/.exec(id) ?? []
  return Object.hasOwn(screens, prefix) ? { ...screens[prefix as keyof typeof screens], id } : undefined
}
