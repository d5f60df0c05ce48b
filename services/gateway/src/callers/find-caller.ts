import { ApiError, type Caller, isId } from '@cobro/contracts'
import { isApiKey } from '../api-keys/api-key-format.ts'
import type { KeySettings } from '../api-keys/create-api-key.ts'
import { isInRanges } from '../network/ip-ranges.ts'
import type { TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import type { CallerRecords, KeyRecord, MerchantRecord } from './caller-records.ts'
import { type CredentialHeaders, readCredentials } from './credentials.ts'

export interface CallerDeps {
  records: CallerRecords
  keySettings: KeySettings
  /** Returns the user and login of a token, or undefined if the token is invalid. */
  verifyUserToken: (token: string) => Promise<TokenLogin | undefined>
}

/** The parts of a request that identify its caller and the merchant that an operator selects. */
interface CallerClaims {
  headers: CredentialHeaders
  selected: readonly string[]
  /** The client's address; null if it is unknown. */
  address: string | null
}

/** Identifies the caller of a request: a payer without a credential, a 401 with an invalid one. */
export async function findCaller(deps: CallerDeps, { headers, selected, address }: CallerClaims): Promise<Caller> {
  const credentials = readCredentials(headers)
  if (credentials.kind === 'none') return { kind: 'payer' }
  if (credentials.kind === 'key') return keyCaller(deps, credentials.key, address)
  const caller = await userCaller(deps, credentials.token)
  if (caller.kind !== 'operator') return caller
  return selected.length === 0 ? caller : { ...caller, ...(await selectedMerchant(deps, caller, new Set(selected))) }
}

/** A valid key from a disallowed address gets the same 401 as an invalid key. */
async function keyCaller({ records, keySettings }: CallerDeps, key: string, address: string | null): Promise<Caller> {
  const found = isApiKey(keySettings.environment, key) ? await records.key(key) : undefined
  if (!found || !isUsable(found, address)) throw new ApiError('unauthorized')
  records.recordKeyUse(found.id)
  const { id, scopes, merchant_id, merchant_name, merchant_status } = found
  return { kind: 'key', id, scopes, merchant_id, merchant_name, merchant_status }
}

function isUsable({ merchant_status, expires_at_ms, allowed }: KeyRecord, address: string | null): boolean {
  if (merchant_status !== 'active') return false
  if (expires_at_ms !== null && expires_at_ms <= Date.now()) return false
  return allowed === null || (address !== null && isInRanges(allowed, address))
}

async function userCaller({ records, verifyUserToken }: CallerDeps, token: string): Promise<Caller> {
  const login = await verifyUserToken(token)
  const user = login && (await records.user(login))
  if (!login || user?.status !== 'active') throw new ApiError('unauthorized')
  const { id, access, credentials_since } = user
  const own = { id, access, auth_time: login.auth_time, credentials_since }
  if (user.role === 'operator') return { kind: 'operator', ...own, merchants: user.merchants ?? [] }
  if (user.merchant?.merchant_status !== 'active') throw new ApiError('unauthorized')
  return { kind: 'client', ...own, ...user.merchant }
}

/** Returns the merchant that an operator selects: 403 if it does not exist or is out of scope. */
async function selectedMerchant(
  { records }: CallerDeps,
  operator: Extract<Caller, { kind: 'operator' }>,
  selected: Set<string>,
): Promise<MerchantRecord> {
  const [id = ''] = selected
  if (selected.size > 1) {
    throw new ApiError('invalid_request', 'merchant_id: X-Merchant-Id and the query parameter disagree')
  }
  const inScope = isId('mrc', id) && (operator.merchants === 'all' || operator.merchants.includes(id))
  const merchant = inScope ? await records.merchant(id) : undefined
  if (!merchant) throw new ApiError('forbidden')
  return merchant
}
