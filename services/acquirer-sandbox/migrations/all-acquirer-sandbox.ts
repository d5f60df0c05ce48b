// Generated from the files of this folder by npm run generate. Do not edit.
import { acquirerSandboxTables } from './0001-acquirer-sandbox.ts'
import { refundsVouchersNotifications } from './0002-refunds-vouchers-notifications.ts'

/** The history of the schema, oldest first. */
export const migrations = [acquirerSandboxTables, refundsVouchersNotifications]
