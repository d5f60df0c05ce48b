import { bankChangeOperations, settlementConfigs } from '@cobro/contracts'
import { tenantRows } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { approveBankChange, cancelBankChange } from './bank-changes.ts'
import {
  createSettlementConfig,
  type SettlementConfigDeps,
  updateSettlementConfig,
} from './change-settlement-config.ts'
import { SettlementConfigEntity } from './settlement-config-entity.ts'
import { shownConfig } from './shown-settlement-config.ts'

const events = {
  created: 'settlement_config.created',
  updated: 'settlement_config.updated',
  deleted: 'settlement_config.deleted',
} as const

export function settlementConfigRoutes(deps: SettlementConfigDeps): Route[] {
  const { db } = deps
  const rows = tenantRows(db, { resource: settlementConfigs, entity: SettlementConfigEntity, events })
  return [
    ...Object.values(
      crud(settlementConfigs, {
        list: async (caller, query) => {
          const page = await rows.list(caller, query)
          return { ...page, data: page.data.map(shownConfig) }
        },
        get: async (caller, id) => shownConfig(await rows.get(caller, id)),
        create: async (caller, input) => shownConfig(await createSettlementConfig(deps, caller, input)),
        update: async (caller, id, input) => shownConfig(await updateSettlementConfig(deps, caller, id, input)),
        remove: rows.remove,
      }),
    ),
    route(bankChangeOperations.approve, async ({ caller, params, body }) => ({
      data: shownConfig(await approveBankChange(deps, caller, params.id, body)),
    })),
    route(bankChangeOperations.cancel, async ({ caller, params }) => ({
      data: shownConfig(await cancelBankChange(db, caller, params.id)),
    })),
  ]
}
