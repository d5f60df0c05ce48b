import { signatureHeader } from '@cobro/acquirer'
import { withoutPropagation } from '@cobro/runtime'
import { CompactSign } from 'jose'
import { getSigningPair, type KeyPairDeps, privateKeyOf } from '../key-pairs/key-pairs.ts'

/** Posts a notification once. Returns `delivered`, or a word that describes the failure. */
export type PostNotification = (body: Buffer) => Promise<string>

interface PostDeps extends KeyPairDeps {
  url: string
  timeoutMs: number
  /** Aborts the requests in flight when the service stops. The next start repeats them. */
  stopping: AbortSignal
}

/** Returns a function that posts signed notifications. Only a 2xx is a delivery, not a redirect. */
export function notificationPoster({ url, timeoutMs, stopping, ...deps }: PostDeps): PostNotification {
  return async body => {
    const headers = { 'content-type': 'application/json', [signatureHeader]: await signatureOf(deps, body) }
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping])
    try {
      const request = { method: 'POST', headers, body: new Uint8Array(body), redirect: 'manual', signal } as const
      const response = await withoutPropagation(() => fetch(url, request))
      await response.body?.cancel()
      return response.ok ? 'delivered' : `status ${response.status}`
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      return cause?.code ?? name
    }
  }
}

/** Signs bytes as a detached JWS with the current time, because receivers reject old signatures. */
async function signatureOf(deps: KeyPairDeps, body: Buffer): Promise<string> {
  const pair = await getSigningPair(deps)
  const header = { alg: pair.public_jwk.alg, kid: pair.kid, iat: Math.floor(Date.now() / 1000) }
  const jws = await new CompactSign(body).setProtectedHeader(header).sign(await privateKeyOf(deps, pair))
  return jws.replace(/\..*\./, '..')
}
