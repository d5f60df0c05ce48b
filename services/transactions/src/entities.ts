import { ApprovalEntity } from './approvals/approval-entity.ts'
import { BalanceSnapshotEntity } from './balance-snapshots/balance-snapshot-entity.ts'
import { DisputeEntity } from './disputes/dispute-entity.ts'
import { FeeRuleEntity } from './fee-rules/fee-rule-entity.ts'
import { LedgerEntryEntity, LedgerPositionEntity } from './ledger/ledger-entities.ts'
import { RefundEntity } from './refunds/refund-entity.ts'
import { RollingReserveEntity } from './rolling-reserve/rolling-reserve-entity.ts'
import { SettlementConfigEntity } from './settlement-config/settlement-config-entity.ts'
import { SettlementEntity } from './settlements/settlement-entity.ts'
import { SucursalEntity } from './sucursales/sucursal-entity.ts'
import { TerminalEntity } from './sucursales/terminal-entity.ts'
import { TransactionEntity } from './transactions/transaction-entity.ts'

/** Every table that this service accesses through the ORM. */
export const entities = [
  ...[TransactionEntity, RefundEntity, SucursalEntity, TerminalEntity],
  ...[LedgerEntryEntity, LedgerPositionEntity, FeeRuleEntity, RollingReserveEntity],
  ...[SettlementConfigEntity, SettlementEntity, DisputeEntity, BalanceSnapshotEntity],
  ApprovalEntity,
]
