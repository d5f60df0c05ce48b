import { ApiError, type Caller, maskClabe, settlementConfigs } from '@cobro/contracts'
import { type Changes, type Database, tenantRows, violatesConstraint } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { SettlementConfigEntity, type SettlementConfigRow } from './settlement-config-entity.ts'

const events = {
  created: 'settlement_config.created',
  updated: 'settlement_config.updated',
  deleted: 'settlement_config.deleted',
} as const

export function settlementConfigRoutes({ db }: { db: Database }): Route[] {
  const rows = tenantRows(db, { resource: settlementConfigs, entity: SettlementConfigEntity, events, refusal, told })
  return Object.values(
    crud(settlementConfigs, {
      ...rows,
      list: async (caller, query) => {
        const page = await rows.list(caller, query)
        return { ...page, data: page.data.map(shown) }
      },
      get: async (caller, id) => shown(await rows.get(caller, id)),
      create: async (caller, input) => shown(await rows.create(caller, input)),
      update: async (caller, id, input) => {
        // Whose it is, and whether it is there at all, is told before what may be changed.
        await rows.get(caller, id)
        refuseForeign(caller, input)
        return shown(await rows.update(caller, id, input))
      },
    }),
  )
}

/** Where the money goes is the merchant's own; when and how much is not. */
function refuseForeign(caller: Caller, input: object): void {
  if (caller.kind !== 'operator' && Object.keys(input).some(name => name !== 'bank')) throw new ApiError('forbidden')
}

type Bank = NonNullable<SettlementConfigRow['bank']>

function shown(row: SettlementConfigRow): SettlementConfigRow {
  return { ...row, bank: masked(row.bank) }
}

function told({ bank, ...others }: Changes): Changes {
  return bank
    ? { ...others, bank: { from: masked(bank.from as Bank | null), to: masked(bank.to as Bank | null) } }
    : others
}

function masked(bank: Bank | null): Bank | null {
  return bank && { ...bank, clabe: maskClabe(bank.clabe) }
}

function refusal(error: unknown): ApiError | undefined {
  if (violatesConstraint(error, 'settlement_configs_active'))
    return new ApiError('conflict', 'active: another settlement configuration of this currency is active')
  if (violatesConstraint(error, 'settlement_configs_day'))
    return new ApiError('invalid_request', 'frequency: weekly needs weekday, monthly needs month_day')
  return undefined
}
