import { signatureHeader } from '@cobro/acquirer'
import { withoutPropagation } from '@cobro/runtime'
import { CompactSign } from 'jose'
import { getSigningPair, type KeyPairDeps, privateKeyOf } from '../key-pairs/key-pairs.ts'

/** Sends a notification's bytes, once. Gives `taken`, or in a word why not. */
export type PostNotification = (body: Buffer) => Promise<string>

interface PostDeps extends KeyPairDeps {
  url: string
  timeoutMs: number
  /** Ends the tries in hand when the service stops: they are made again. */
  stopping: AbortSignal
}

/** Makes what signs notifications and posts them. Only a 2xx means that one was taken; redirects are not followed. */
export function notificationPoster({ url, timeoutMs, stopping, ...deps }: PostDeps): PostNotification {
  return async body => {
    const headers = { 'content-type': 'application/json', [signatureHeader]: await signatureOf(deps, body) }
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping])
    try {
      const request = { method: 'POST', headers, body: new Uint8Array(body), redirect: 'manual', signal } as const
      const response = await withoutPropagation(() => fetch(url, request))
      await response.body?.cancel()
      return response.ok ? 'taken' : `status ${response.status}`
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      return cause?.code ?? name
    }
  }
}

/** A detached JWS over the bytes, with the time of this try in its protected header: an old one is worth nothing. */
async function signatureOf(deps: KeyPairDeps, body: Buffer): Promise<string> {
  const pair = await getSigningPair(deps)
  const header = { alg: pair.public_jwk.alg, kid: pair.kid, iat: Math.floor(Date.now() / 1000) }
  const jws = await new CompactSign(body).setProtectedHeader(header).sign(await privateKeyOf(deps, pair))
  return jws.replace(/\..*\./, '..')
}
