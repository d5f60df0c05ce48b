import { acquirerSandboxTables } from './0001-acquirer-sandbox.ts'
import { refundsVouchersNotifications } from './0002-refunds-vouchers-notifications.ts'

/** The history of the schema, oldest first. */
export const migrations = [acquirerSandboxTables, refundsVouchersNotifications]
