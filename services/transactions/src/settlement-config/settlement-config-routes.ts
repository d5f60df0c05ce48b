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
  const options = { resource: settlementConfigs, entity: SettlementConfigEntity, events, mapError, maskChanges }
  const rows = tenantRows(db, options)
  return Object.values(
    crud(settlementConfigs, {
      ...rows,
      list: async (caller, query) => {
        const page = await rows.list(caller, query)
        return { ...page, data: page.data.map(maskRow) }
      },
      get: async (caller, id) => maskRow(await rows.get(caller, id)),
      create: async (caller, input) => maskRow(await rows.create(caller, input)),
      update: async (caller, id, input) => {
        // The 404 and 403 for the row itself come before the 403 for the changed fields.
        await rows.get(caller, id)
        requireAllowedFields(caller, input)
        return maskRow(await rows.update(caller, id, input))
      },
    }),
  )
}

/** A merchant may change its own bank account, but not when and how much it is paid. */
function requireAllowedFields(caller: Caller, input: object): void {
  if (caller.kind !== 'operator' && Object.keys(input).some(name => name !== 'bank')) throw new ApiError('forbidden')
}

type Bank = NonNullable<SettlementConfigRow['bank']>

function maskRow(row: SettlementConfigRow): SettlementConfigRow {
  return { ...row, bank: maskBank(row.bank) }
}

function maskChanges({ bank, ...others }: Changes): Changes {
  return bank
    ? { ...others, bank: { from: maskBank(bank.from as Bank | null), to: maskBank(bank.to as Bank | null) } }
    : others
}

function maskBank(bank: Bank | null): Bank | null {
  return bank && { ...bank, clabe: maskClabe(bank.clabe) }
}

function mapError(error: unknown): ApiError | undefined {
  if (violatesConstraint(error, 'settlement_configs_active'))
    return new ApiError('conflict', 'active: another settlement configuration of this currency is active')
  if (violatesConstraint(error, 'settlement_configs_day'))
    return new ApiError('invalid_request', 'frequency: weekly needs weekday, monthly needs month_day')
  return undefined
}
