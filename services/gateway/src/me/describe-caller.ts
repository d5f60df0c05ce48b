import { ApiError, apiVersion, type Caller, type Me, type Operation, operations } from '@cobro/contracts'
import { type Database, findRow, type Reader } from '@cobro/database'
import { mayCall } from '@cobro/http'
import { ApiKeyEntity } from '../api-keys/api-key-entity.ts'
import type { KeySettings } from '../api-keys/create-api-key.ts'
import { MerchantEntity } from '../merchants/gateway-merchant-entity.ts'
import { UserEntity } from '../users/user-entity.ts'

export interface MeDeps {
  db: Database
  keySettings: KeySettings
  rules: MeRules
}

/** What this deployment answers to everyone; `traceUrl` to operators only. */
export interface MeRules {
  currencies: readonly string[]
  hostedUrl: string
  dashboardUrl: string
  traceUrl: string | undefined
  features: readonly string[]
}

type Holder = Exclude<Caller, { kind: 'payer' | 'acquirer' }>

/** Returns who a caller is, for whom it acts and what it may call, in this deployment. */
export async function describeCaller({ db, keySettings, rules }: MeDeps, caller: Caller): Promise<Me> {
  if (caller.kind === 'payer' || caller.kind === 'acquirer') throw new ApiError('unauthorized')
  const rows = await db.read(em => readRows(em, caller))
  const { environment } = keySettings
  const exists = ({ onlyInSandbox }: Operation) => !onlyInSandbox || environment === 'sandbox'
  return {
    ...{ kind: caller.kind, id: caller.id, ...rows },
    merchants: caller.kind === 'operator' ? caller.merchants : null,
    permissions: operations.filter(one => exists(one) && mayCall(one, caller)).map(({ id }) => id),
    environment,
    currencies: [...rules.currencies],
    hosted_url: rules.hostedUrl,
    dashboard_url: rules.dashboardUrl,
    trace_url: (caller.kind === 'operator' && rules.traceUrl) || null,
    features: [...rules.features],
    api_version: apiVersion,
  }
}

/** Reads the rows behind a caller. Its key or user may have been deleted since it was identified. */
async function readRows(em: Reader, caller: Holder): Promise<Pick<Me, 'api_key' | 'user' | 'merchant'>> {
  const { merchant_id } = caller
  const [api_key, user, merchant] = await Promise.all([
    caller.kind === 'key' ? findRow(em, ApiKeyEntity, { id: caller.id }) : null,
    caller.kind === 'key' ? null : findRow(em, UserEntity, { id: caller.id }),
    merchant_id === undefined ? null : findRow(em, MerchantEntity, { id: merchant_id }),
  ])
  if (!api_key && !user) throw new ApiError('unauthorized')
  return { api_key, user, merchant }
}
