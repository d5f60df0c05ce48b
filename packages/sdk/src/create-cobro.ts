import { type MerchantMethods, merchantMethods } from './generated/merchant-methods.ts'
import { checkedTransport } from './transport/checked-transport.ts'
import { clientOf } from './transport/client.ts'
import type { TransportOptions } from './transport/options.ts'
import { type EventFeed, withFeed } from './webhook-feed.ts'

export interface CobroOptions extends TransportOptions {
  /** The key of the merchant, `vk_…`. It belongs on a server: anyone who has it can move money. */
  apiKey: string | undefined
}

/** A client for a merchant's server. */
export type Cobro = MerchantMethods & { readonly webhookEvents: EventFeed }

/** Creates a client for a merchant's server. Throws a `TypeError` for unusable options, and in the page of a browser. */
export function createCobro({ apiKey, ...options }: CobroOptions): Cobro {
  if (typeof apiKey !== 'string' || !/^vk_\w+$/.test(apiKey)) {
    throw new TypeError('createCobro needs an apiKey that starts with vk_, without blanks or line breaks.')
  }
  if ('document' in globalThis) {
    throw new TypeError('createCobro does not run in a page: everyone could read the API key there.')
  }
  const transport = checkedTransport(options, () => ({ 'x-api-key': apiKey }))
  return withFeed(clientOf(merchantMethods, transport) as MerchantMethods)
}
