import { type UserMethods, userMethods } from './generated/user-methods.ts'
import { type Session, type SessionStore, tokenSource } from './sessions.ts'
import { callOf } from './transport/call.ts'
import { checkedTransport } from './transport/checked-transport.ts'
import { clientOf } from './transport/client.ts'
import type { TransportOptions } from './transport/options.ts'
import { type EventFeed, withFeed } from './webhook-feed.ts'

export interface AdminOptions extends TransportOptions {
  /** The session of a user, from `sessionOf(await admin.auth.login(…))`. Without it only `auth` works. */
  session?: Session
  /** Where new sessions are stored. */
  store?: SessionStore
}

/** A client for users and operators. */
export type CobroAdmin = UserMethods & {
  readonly webhookEvents: EventFeed
  /** Returns a client whose calls act for a merchant. Only operators need it. */
  forMerchant(merchantId: string): CobroAdmin
}

/** Creates a client for users and operators. Throws a `TypeError` for unusable options. */
export function createCobroAdmin({ session, store, ...options }: AdminOptions): CobroAdmin {
  const { auth } = clientOf(
    userMethods,
    checkedTransport(options, () => ({})),
  ) as UserMethods
  const tokens = session && tokenSource(session, auth.refresh, store)
  const clientFor = (merchantId?: string): CobroAdmin => {
    const authorize = async (): Promise<Record<string, string>> => ({
      ...(tokens && { authorization: `Bearer ${await tokens.current()}` }),
      ...(merchantId !== undefined && { 'x-merchant-id': merchantId }),
    })
    const client = withFeed(clientOf(userMethods, checkedTransport(options, authorize)) as UserMethods)
    const confirm: UserMethods['auth']['confirm'] = (...args) => {
      const answered = client.auth.confirm(...args).withResponse()
      return callOf(
        answered.then(async answer => {
          await tokens?.confirmed(answer.data)
          return answer
        }),
      )
    }
    return { ...client, auth: { ...auth, confirm }, forMerchant }
  }
  const forMerchant = (merchantId: string) => {
    if (!/^mrc_\w+$/.test(merchantId)) throw new TypeError('forMerchant needs the id of a merchant, mrc_….')
    return clientFor(merchantId)
  }
  return clientFor()
}
