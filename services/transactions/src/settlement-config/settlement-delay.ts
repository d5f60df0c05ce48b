import { defaultDelayDays } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { MerchantLedger } from '../ledger/merchant-ledgers.ts'
import { SettlementConfigEntity } from './settlement-config-entity.ts'

/** Returns after how many days the captures of a ledger become available. */
export async function delayDaysOf(tx: Tx, ledger: MerchantLedger): Promise<number> {
  const config = await tx.findOne(SettlementConfigEntity, { ...ledger, active: true })
  return config?.delay_days ?? defaultDelayDays
}
